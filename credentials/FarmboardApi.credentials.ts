import type { IAuthenticateGeneric, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

/** Base URL and access token of a Farmboard account. */
export class FarmboardApi implements ICredentialType {
  name = 'farmboardApi';

  displayName = 'Farmboard API';

  icon: Icon = {
    light: 'file:../nodes/Farmboard/farmboard.svg',
    dark: 'file:../nodes/Farmboard/farmboard.dark.svg',
  };

  documentationUrl = 'https://github.com/farmboard/n8n-nodes-farmboard/tree/main/nodes#credentials';

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: 'http://localhost:3000/api/v1',
      required: true,
      placeholder: 'e.g. https://farm.example.com/api/v1',
      description: 'The address of Farmboard, ending with /api/v1',
    },
    {
      displayName: 'Access Token',
      name: 'accessToken',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      placeholder: 'e.g. pat_…',
      description:
        'A personal access token, created in the account settings or with "npx farmboard token create". Use a separate token for each integration so that you can revoke it on its own.',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{ $credentials.accessToken.trim() }}' } },
  };
}

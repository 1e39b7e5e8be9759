import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from 'n8n-workflow';

/** Address and personal access token of one Farmboard account. */
export class FarmboardApi implements ICredentialType {
  name = 'farmboardApi';

  displayName = 'Farmboard API';

  icon: Icon = {
    light: 'file:../nodes/Farmboard/farmboard.svg',
    dark: 'file:../nodes/Farmboard/farmboard.dark.svg',
  };

  documentationUrl = 'https://github.com/farmboard/n8n-nodes-farmboard#credentials';

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: 'http://localhost:3000/api/v1',
      required: true,
      placeholder: 'e.g. https://farm.example.com/api/v1',
      description: 'Address of the Farmboard interface, ending with /api/v1',
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
        'Personal access token, made in the account settings or with "npx farmboard token create". Use one token for each integration, so that each can be revoked alone.',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{ $credentials.accessToken.trim() }}' } },
  };

  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}',
      url: '/me',
      disableFollowRedirect: true,
      timeout: 15_000,
    },
    rules: [
      {
        type: 'responseCode',
        properties: {
          value: 401,
          message:
            'Farmboard did not accept the access token: it is mistyped, revoked or expired. Make a new one and paste it here.',
        },
      },
      {
        type: 'responseCode',
        properties: { value: 403, message: 'Something in front of Farmboard refuses this request: check its proxy.' },
      },
      {
        type: 'responseCode',
        properties: { value: 404, message: 'Nothing answers at this Base URL. It ends with /api/v1.' },
      },
      {
        type: 'responseCode',
        properties: { value: 429, message: 'Farmboard asks for a pause: too many requests. Try again in a minute.' },
      },
      {
        // a page of another program also answers 200: only the account's name proves the token
        type: 'responseSuccessBody',
        properties: {
          key: 'account_id',
          value: undefined,
          message: 'This address answers, but not as Farmboard does. The Base URL ends with /api/v1.',
        },
      },
      // both kinds of rule are looked at together; n8n's type knows lists of one kind only
    ] as ICredentialTestRequest['rules'],
  };
}

import type { ICredentialsDecrypted, ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';
import { completeBaseUrl, explainBaseUrl } from '../shared/base-url';
import { readNetworkCode, toNetworkReason } from '../shared/errors';

const TIMEOUT_MS = 15_000;

interface Credential {
  baseUrl?: string;
  accessToken?: string;
}

interface Answer {
  statusCode: number;
  body: unknown;
}

const failed = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/** Tests the credential by reading the account of its token. */
export async function farmboardApiTest(
  this: ICredentialTestFunctions,
  { data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  const { baseUrl, accessToken } = (data ?? {}) as Credential;
  const address = completeBaseUrl(baseUrl);
  if (address === undefined) {
    const { fault, remedy } = explainBaseUrl(baseUrl);
    return failed(`The Base URL ${fault}. ${remedy}`);
  }
  const token = String(accessToken ?? '').trim();
  if (!/^[\x21-\x7e]+$/.test(token))
    return failed('The access token is missing or malformed. Paste it again; it starts with pat_.');
  // the only request helper that n8n offers in credential tests
  const { request } = this.helpers;
  try {
    const answer: Answer = await request({
      method: 'GET',
      uri: `${address}/me`,
      headers: { Accept: 'application/json', Authorization: `Bearer ${token}` },
      json: true,
      timeout: TIMEOUT_MS,
      resolveWithFullResponse: true,
      simple: false,
      // a redirect must not send the token to another host
      followRedirect: false,
    });
    return toResult(address, answer);
  } catch (error) {
    return failed(`Farmboard cannot be reached at ${address}: ${toNetworkReason(readNetworkCode(error))}.`);
  }
}

function toResult(address: string, { statusCode, body }: Answer): INodeCredentialTestResult {
  // other programs may also answer 200: only the account's ID proves that the token was accepted
  const isAccount = typeof body === 'object' && body !== null && 'account_id' in body;
  if (statusCode === 200 && isAccount) return { status: 'OK', message: 'Connection successful' };
  switch (statusCode) {
    case 401:
      return failed(
        'Farmboard did not accept the access token: it is mistyped, revoked or expired. Create a new one and paste it here.',
      );
    case 403:
      return failed('Something in front of Farmboard refused the request. Check the settings of the proxy.');
    case 429:
      return failed('Farmboard received too many requests. Try again in a minute.');
    default:
      break;
  }
  if (statusCode >= 500)
    return failed(`Farmboard cannot answer right now (status ${statusCode}). Try again in a minute.`);
  if (statusCode >= 300 && statusCode < 400) {
    return failed(`${address} redirects to another address. Enter the address it redirects to.`);
  }
  return failed(`There is no Farmboard at ${address}. The Base URL ends with /api/v1.`);
}

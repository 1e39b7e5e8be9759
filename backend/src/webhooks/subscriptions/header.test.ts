import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NewHeader, RESERVED } from './header.ts';

const nameFault = (name: string): string | undefined =>
  NewHeader.safeParse({ name, value: 'x' })
    .error?.issues.map(({ message }) => message)
    .join();

test.each([
  // what receivers and what stands before them ask for
  ...['Authorization', 'X-Api-Key', 'apikey', 'Api-Key', 'X-Auth-Token', 'X-Auth-User', 'X-Auth-Key', 'X-Access-Token'],
  ...['X-Webhook-Secret', 'X-Webhook-Token', 'X-Gitlab-Token', 'X-Hub-Signature', 'X-Client-Id', 'X-Client-Secret'],
  ...['CF-Access-Client-Id', 'CF-Access-Client-Secret', 'cf-access-token', 'X-Vercel-Protection-Bypass'],
  ...[
    'X-Functions-Key',
    'Ocp-Apim-Subscription-Key',
    'X-Serverless-Authorization',
    'X-Origin-Verify',
    'Fly-Prefer-Region',
  ],
  ...['X-Amz-Invocation-Type', 'X-Apigw-Api-Id', 'X-RapidAPI-Proxy-Secret', 'X-Consumer-Key', 'X-Goog-Channel-Token'],
  ...[
    'ngrok-skip-browser-warning',
    'Accept',
    'Accept-Language',
    'Prefer',
    'X-Requested-With',
    'X-Request-Id',
    'X-Tenant',
  ],
  ...['X-Own.Header_1', 'X-Ship', 'Idempotency-Key', 'Tea', 'Hosted-By', 'X-Zip'],
])('%s can be sent', (name) => {
  expect(nameFault(name)).toBeUndefined();
});

test.each([
  ['HTTP uses it', 'Host', 'connection', 'CONTENT-TYPE', 'Content-Length', 'Transfer-Encoding', 'TE', 'Trailer'],
  ['HTTP uses it', 'Upgrade', 'Keep-Alive', 'Expect', 'Cookie', 'Accept-Encoding', 'Date', 'Via', 'HTTP2-Settings'],
  ['HTTP uses it', 'Origin', 'Referer', 'Range', 'If-Match', 'If-Range', 'Sec-Fetch-Site', 'Sec-WebSocket-Key'],
  ['HTTP uses it', 'X-HTTP-Method', 'X-HTTP-Method-Override', 'X-Method-Override', 'Max-Forwards', 'Early-Data'],
  ['HTTP uses it', 'Content_Length', 'Transfer_Encoding', 'transfer.encoding', 'sec_fetch_site', 'X_HTTP_Method'],
  ['proxies use it', 'Proxy', 'Proxy-Authorization', 'Forwarded', 'X-Forwarded-For', 'X-Forwarded', 'X-Forward-For'],
  ['proxies use it', 'X-Real-IP', 'X-Client-IP', 'True-Client-IP', 'X-Cluster-Client-IP', 'Fastly-Client-IP'],
  ['proxies use it', 'CF-Connecting-IP', 'CF-IPCountry', 'CF-Ray', 'CF-Visitor', 'Fly-Client-IP', 'DO-Connecting-IP'],
  [
    'proxies use it',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Original-Host',
    'X-Originating-IP',
    'X-Host',
    'X-Accel-Mapping',
  ],
  ['proxies use it', 'X-ProxyUser-IP', 'X-AppEngine-User-IP', 'X-Azure-ClientIP', 'X-Azure-FDID', 'X-ARR-ClientCert'],
  ['proxies use it', 'X-Remote-User', 'Remote-User', 'Remote-Addr', 'X-Authenticated-User', 'X-WEBAUTH-USER'],
  ['proxies use it', 'X-Auth-Request-Email', 'X-Amzn-Oidc-Identity', 'X-Amzn-Trace-Id', 'X-MS-Client-Principal-Name'],
  ['proxies use it', 'X-Goog-Authenticated-User-Email', 'Tailscale-User-Login', 'X-Envoy-External-Address'],
  ['proxies use it', 'X-SSL-Client-Cert', 'SSL-Client-Cert', 'Client-Cert', 'X-Client-Verify', 'WL-Proxy-Client-IP'],
  ['proxies use it', 'x_forwarded_for', 'X_Real_IP', 'x.real.ip', "X'Real'IP", 'x~original|url', 'REMOTE_USER'],
  ['webhooks have it', 'User-Agent', 'Traceparent', 'tracestate', 'X-Svc-Signature', 'x-svc-own', 'webhook-id'],
  ['webhooks have it', 'x_svc_signature', 'X_Svc_Event', 'Webhook_Signature', 'user_agent', 'X.Svc.Delivery'],
])('%s and can’t be sent: %s, %s, …', (reason, ...names) => {
  expect(names.filter((name) => !nameFault(name)?.startsWith(`must be another name: ${reason}`))).toEqual([]);
});

test('the reference lists the names', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/reference/interface.md'), 'utf8');
  const [, section = ''] = page.split('### Extra headers\n');
  const lists = section.split('\n').filter((line) => line.startsWith('- '));
  const listed = lists.map((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.toLowerCase()));
  expect(listed).toEqual([RESERVED.http, RESERVED.proxies, RESERVED.webhooks]);
});

/** Snippets to copy, filled in for this server. `test/browser/connect.test.ts` runs them exactly as displayed. */
export interface Place {
  /** such as `http://farm.lan:3000` */
  origin: string;
  /** an access token or a placeholder */
  token: string;
}

const TOKEN_PLACE = 'pat_YOUR_TOKEN';
export const placeOf = (token: string | undefined): Place => ({ origin: location.origin, token: token ?? TOKEN_PLACE });

const api = ({ origin }: Place) => `${origin}/api/v1`;

export const curlTexts = (place: Place) => ({
  setup: `export FARMBOARD=${api(place)}
export TOKEN=${place.token}`,
  who: `curl -sS --fail-with-body "$FARMBOARD/me" -H "Authorization: Bearer $TOKEN"`,
  create: `curl -sS --fail-with-body "$FARMBOARD/print-jobs" \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: $(date +%s)-$$" \\
  -d '{"model_name": "Phone stand", "quantity_pieces": 2, "material_name": "PETG"}'`,
  list: `curl -sS --fail-with-body "$FARMBOARD/print-jobs?per_page=10&workflow_status=negotiation" \\
  -H "Authorization: Bearer $TOKEN"`,
  move: `ORDER_ID=$(curl -sS --fail-with-body "$FARMBOARD/print-jobs?per_page=1" \\
  -H "Authorization: Bearer $TOKEN" | grep -oE '"id":"[0-9a-f-]{36}"' | head -n 1 | cut -d '"' -f 4)
curl -sS --fail-with-body -X PUT "$FARMBOARD/print-jobs/$ORDER_ID" \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -H "Prefer: handling=strict" \\
  -d '{"workflow_status": "printing"}'`,
  channel: `RECEIVER=http://192.168.1.20:8080/farmboard
curl -sS --fail-with-body "$FARMBOARD/webhook-subscriptions" \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d "{\\"url\\": \\"$RECEIVER\\", \\"events\\": [\\"order.created\\", \\"order.status_changed\\"]}"`,
});

/** Two commands, a sensor and an automation for failed prints. @param webhookId must be hard to guess */
export const homeAssistantTexts = (place: Place, webhookId: string) => ({
  configuration: `rest_command:
  farmboard_set_status:
    url: "${api(place)}/print-jobs/{{ order_id }}"
    method: put
    headers:
      Authorization: "Bearer ${place.token}"
      Prefer: handling=strict
    content_type: "application/json"
    payload: '{"workflow_status": "{{ status }}"}'
  farmboard_use_filament:
    url: "${api(place)}/filaments/{{ filament_id }}/consume"
    method: post
    headers:
      Authorization: "Bearer ${place.token}"
    content_type: "application/json"
    payload: '{"grams": {{ grams }}}'

rest:
  - resource: "${api(place)}/summary"
    scan_interval: 60
    headers:
      Authorization: "Bearer ${place.token}"
    sensor:
      - name: "Farmboard orders printing"
        unique_id: farmboard_orders_printing
        value_template: "{{ value_json.orders_printing }}"
`,
  automation: `- alias: "Farmboard: a print failed"
  triggers:
    - trigger: webhook
      webhook_id: "${webhookId}"
      allowed_methods: [POST]
      local_only: true
  conditions:
    - condition: template
      value_template: >-
        {{ trigger.json.event == 'order.status_changed'
           and trigger.json.data.workflow_status == 'print_error' }}
  actions:
    - action: persistent_notification.create
      data:
        title: "Print error"
        message: "{{ trigger.json.data.model_name }} on {{ trigger.json.data.printer_name or 'no printer' }}"
`,
  channelUrl: `http://homeassistant.local:8123/api/webhook/${webhookId}`,
});

const CHECK_IN_NODE_RED = `// the channel's signing secret, shown once when you created it
const secret = env.get('FARMBOARD_SECRET') || 'whsec_YOUR_SECRET';
// Farmboard's JSON stays the same when it is parsed and serialized again
const raw = Buffer.isBuffer(msg.payload) || typeof msg.payload === 'string' ? msg.payload : JSON.stringify(msg.payload);
const expected = 'sha256=' + crypto.createHmac('sha256', secret).update(raw).digest('hex');
const isGenuine = msg.req.headers['x-svc-signature'] === expected;
msg.statusCode = isGenuine ? 204 : 401;
const answer = { ...msg, payload: '' };
return [answer, isGenuine ? msg : null];`;

/** A Node-RED flow that moves an order and receives events, verifying their signature. */
export function nodeRedFlow(place: Place): string {
  const tab = 'farmboard-tab';
  const setStatus = `// enter an order ID: the part of its label after ORDER-
const orderId = env.get('ORDER_ID') || msg.order_id;
msg.method = 'PUT';
msg.url = '${api(place)}/print-jobs/' + orderId;
msg.headers = { Authorization: 'Bearer ${place.token}', 'Content-Type': 'application/json', Prefer: 'handling=strict' };
msg.payload = { workflow_status: msg.payload };
return msg;`;
  const node = (id: string, type: string, name: string, x: number, y: number, rest: object) => ({
    id: `farmboard-${id}`,
    type,
    z: tab,
    name,
    x,
    y,
    ...rest,
  });
  const to = (...ids: string[]) => ids.map((id) => `farmboard-${id}`);
  const flow = [
    { id: tab, type: 'tab', label: 'Farmboard', disabled: false, info: '' },
    node('button', 'inject', 'printing', 120, 80, {
      props: [{ p: 'payload' }],
      payload: 'printing',
      payloadType: 'str',
      repeat: '',
      once: false,
      wires: [to('set-status')],
    }),
    node('set-status', 'function', 'set status', 290, 80, {
      func: setStatus,
      outputs: 1,
      libs: [],
      wires: [to('request')],
    }),
    node('request', 'http request', 'Farmboard', 460, 80, {
      method: 'use',
      ret: 'obj',
      paytoqs: 'ignore',
      url: '',
      persist: false,
      headers: [],
      wires: [to('answer')],
    }),
    node('answer', 'debug', 'order', 630, 80, { active: true, tosidebar: true, complete: 'payload', wires: [] }),
    node('in', 'http in', 'events', 120, 180, {
      url: '/farmboard',
      method: 'post',
      upload: false,
      wires: [to('check')],
    }),
    node('check', 'function', 'verify signature', 310, 180, {
      func: CHECK_IN_NODE_RED,
      outputs: 2,
      libs: [{ var: 'crypto', module: 'crypto' }],
      wires: [to('reply'), to('event')],
    }),
    node('reply', 'http response', '', 530, 160, { statusCode: '', headers: {}, wires: [] }),
    node('event', 'debug', 'event', 530, 220, { active: true, tosidebar: true, complete: 'payload', wires: [] }),
  ];
  return JSON.stringify(flow, null, 2);
}

export const signatureTexts = {
  shell: `# BODY: the raw request body; SECRET: the channel's signing secret
printf 'sha256=%s\\n' "$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')"`,
  node: `import { createHmac, timingSafeEqual } from 'node:crypto';

// rawBody: the raw request body, before any parsing; header: X-Svc-Signature
export function isGenuine(secret, rawBody, header) {
  const expected = Buffer.from('sha256=' + createHmac('sha256', secret).update(rawBody).digest('hex'));
  const received = Buffer.from(header ?? '');
  return expected.length === received.length && timingSafeEqual(expected, received);
}
`,
  python: `import hashlib, hmac

# raw_body: the raw request body, before any parsing; header: X-Svc-Signature
def is_genuine(secret: str, raw_body: bytes, header: str) -> bool:
    expected = "sha256=" + hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, header or "")
`,
};

// Receives Farmboard's webhooks on 127.0.0.1:8000, checks each signature and prints each event. It needs nothing but
// Node.js, and is meant to be copied: WEBHOOK_SECRET is the secret that creating the channel answered.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET: secret = '', RECEIVER_PORT: port = '8000' } = process.env;
const MAX_BYTES = 1_000_000;

/** The signature covers the raw bytes: check it before anything is parsed. */
function isGenuine(secret, rawBody, header) {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`);
  const received = Buffer.from(header ?? '');
  return expected.length === received.length && timingSafeEqual(expected, received);
}

function receive(rawBody, headers) {
  if (!isGenuine(secret, rawBody, headers['x-svc-signature'])) {
    console.log('refused: the signature is not of this secret');
    return 401;
  }
  const { event, occurred_at, data } = JSON.parse(rawBody.toString('utf8'));
  console.log(`${occurred_at} #${headers['x-svc-sequence']} ${event} ${JSON.stringify(data)}`);
  return 204;
}

if (secret === '') {
  console.error('Set WEBHOOK_SECRET to the secret of the webhook channel: WEBHOOK_SECRET=whsec_… node receiver.mjs');
  process.exit(1);
}

const server = createServer((request, response) => {
  const chunks = [];
  let length = 0;
  request.on('data', (chunk) => {
    length += chunk.length;
    if (length > MAX_BYTES) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    response.statusCode = request.method === 'POST' ? receive(Buffer.concat(chunks), request.headers) : 405;
    response.end();
  });
});
server.on('error', (error) => {
  console.error(`The receiver could not start: ${error.message}`);
  process.exit(1);
});
server.listen(Number(port), '127.0.0.1', () => {
  console.log(`Receiving webhooks on http://127.0.0.1:${server.address().port}/`);
});

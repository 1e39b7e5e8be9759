import { blocksOf } from '../kit/docs/blocks.ts';
import { runSession, type Session, sessionsOf } from '../kit/docs/run-blocks.ts';
import { createTestDatabase, REDIS_URL } from '../kit/engine.ts';

/** Has an event sent to the proxy, which refuses it: the log of the other terminal then says who sent it. */
const SEND_EVENT = `
ID=$(curl -sS http://127.0.0.1:8080/api/v1/webhook-subscriptions -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"url":"http://127.0.0.1:8080/nobody","events":["order.created"]}' | node -pe 'JSON.parse(fs.readFileSync(0)).id')
curl -sS -X POST "http://127.0.0.1:8080/api/v1/webhook-subscriptions/$ID/test" -H "Authorization: Bearer $TOKEN"
cat "$SAID"
`;

test('two processes behind nginx answer in turn, and the worker sends events', async () => {
  const database = createTestDatabase();
  try {
    const [session] = sessionsOf(blocksOf('examples/several-processes/README.md')) as [Session];
    const servers = { DATABASE_URL: database.url, REDIS_URL };
    const { output, after } = await runSession(session, { variables: {}, servers }, SEND_EVENT);
    expect(
      Object.values(output)
        .at(-1)
        ?.match(/"workflow_status":"negotiation"/g),
    ).toHaveLength(4);
    const asked = [...after.matchAll(/"path":"\/api\/v1\/print-jobs","status":"201","api":"([^"]+)"/g)];
    expect(asked).toHaveLength(4);
    expect(new Set(asked.map(([, api]) => api))).toEqual(new Set(['127.0.0.1:3001', '127.0.0.1:3002']));
    expect(after).toContain('"response_status":404,"error":"http_status"');
  } finally {
    database.drop();
  }
});

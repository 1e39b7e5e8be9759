import { HAS_REDIS, REDIS_URL } from '../kit/engine.ts';
import { range, startFarm } from '../kit/farm.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';

/** Each ends one token. */
const ROUNDS = times(15, 500);
const CLIENTS = 8;

const farm = forSuite(() => startFarm({ RATE_LIMIT_PER_MINUTE: '0', ...(HAS_REDIS ? { REDIS_URL } : {}) }));

/**
 * Sends requests with a token until one was sent after its revocation. @returns the statuses of the requests that were
 * sent before and after it
 */
async function useToken(origin: string, token: string, isRevoked: () => boolean) {
  const statuses = { before: [] as number[], after: [] as number[] };
  while (statuses.after.length === 0) {
    const moment = isRevoked() ? 'after' : 'before';
    const answer = await fetch(`${origin}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    await answer.text();
    statuses[moment].push(answer.status);
  }
  return statuses;
}

test('every request that is sent after a revocation was answered is refused, by all processes', async () => {
  const { origin: other } = HAS_REDIS ? (await farm.startProcess()).service : farm;
  const owner = await farm.console();
  const origins = [farm.origin, other];
  for (const round of range(ROUNDS)) {
    const name = `round ${round}`;
    const made = await owner.post('/tokens', { name });
    const { items } = (await owner.get<{ items: { id: string; name: string }[] }>('/tokens')).body;
    const { id } = items.find((token) => token.name === name) as { id: string };
    let isRevoked = false;
    const using = range(CLIENTS).map((client) =>
      useToken(String(origins[client % 2]), String(made.body.token), () => isRevoked),
    );
    // the token is in use when it is revoked, by one process and the other in turn
    await Promise.all(origins.map((origin) => useToken(origin, String(made.body.token), () => true)));
    const revoked = await owner.ask('DELETE', `/tokens/${id}`, { origin: String(origins[round % 2]) });
    expect(revoked.status).toBe(204);
    isRevoked = true;
    for (const { before, after } of await Promise.all(using)) {
      expect(before).toContain(200);
      expect(after).toEqual([401]);
    }
  }
});

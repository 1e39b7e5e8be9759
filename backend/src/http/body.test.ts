import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { readBody } from './body.ts';
import { createBodyBudget } from './body-budget.ts';
import { shareBudget } from './body-reader.ts';

test('counts what parsed JSON holds until the response', async () => {
  const budget = createBodyBudget();
  const app = express();
  shareBudget(app, budget);
  app.post('/', async (req: Request, res: Response) => {
    await readBody(req, res, { accountId: 'a' });
    res.json(budget.held());
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const heldBy = async (body: string): Promise<number> => {
    const answer = await fetch(url, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
    return (await answer.json()) as number;
  };
  const objects = 30_000;
  expect(await heldBy(`[${Array(objects).fill('{}').join()}]`)).toBeGreaterThan(objects * 50);
  expect(await heldBy(JSON.stringify('a'.repeat(90_000)))).toBeLessThan(100_000);
  expect(budget.held()).toBe(0);
  server.close();
  server.closeAllConnections();
});

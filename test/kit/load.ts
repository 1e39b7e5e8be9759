import type { Client } from './client.ts';

const CHANGES = ['confirmed', 'assigned', 'printing', 'packing', 'delivery'];
const GRAMS = 0.5;

/** The responses clients got, as texts that can be looked up in a database. */
export interface Acknowledged {
  orders: string[];
  /** `<order> <status>` */
  changes: string[];
  /** The notes of consumptions. */
  uses: string[];
}

export const countOf = ({ orders, changes, uses }: Acknowledged): number =>
  orders.length + changes.length + uses.length;

/** Clients that each create orders, change their status and consume filament, one request after the other. */
export function startLoad(client: Client, filament: string, clients: number, acknowledged: Acknowledged) {
  let running = true;
  async function expectStatus(status: number, answer: Promise<{ status: number; text: string; body: unknown }>) {
    const { status: got, text, body } = await answer;
    if (got !== status) throw new Error(`${got} instead of ${status}: ${text}`);
    return body as { id: string };
  }
  const work = Array.from({ length: clients }, async () => {
    while (running) {
      const { id } = await expectStatus(201, client.post('/print-jobs', { model_name: 'under load' }));
      acknowledged.orders.push(id);
      for (const status of CHANGES) {
        await expectStatus(200, client.put(`/print-jobs/${id}`, { workflow_status: status }));
        acknowledged.changes.push(`${id} ${status}`);
      }
      const note = `for ${id}`;
      await expectStatus(200, client.post(`/filaments/${filament}/consume`, { grams: GRAMS, order_id: id, note }));
      acknowledged.uses.push(note);
    }
  });
  // `stop` reports a client that fails
  const all = Promise.all(work);
  all.catch(() => undefined);
  return {
    async stop(): Promise<void> {
      running = false;
      await all;
    },
  };
}

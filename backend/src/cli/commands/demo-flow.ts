import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Order {
  id: string;
  model_name: string;
  material_name: string;
  color_hex: string;
  material_grams: number;
  due_date: string;
  workflow_status: string;
}

/** A receiver as users would write it: raw body, HMAC, constant-time comparison, no code of ours. */
async function startReceiver() {
  const events: { event: string; data: Record<string, unknown> }[] = [];
  const waiting: (() => void)[] = [];
  let secret = '';
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
      const received = Buffer.from(String(req.headers['x-svc-signature']));
      const genuine = expected.length === received.length && timingSafeEqual(expected, received);
      res.statusCode = genuine ? 204 : 401;
      res.end();
      if (!genuine) return;
      const envelope = JSON.parse(body.toString('utf8')) as { event: string; data: Record<string, unknown> };
      events.push(envelope);
      const about = envelope.data.workflow_status ?? envelope.data.remaining_grams;
      const event = about === undefined ? envelope.event : `${envelope.event} ${about}`;
      console.log(`   ⇢ event ${event} (signature verified, sequence ${req.headers['x-svc-sequence']})`);
      for (const wake of waiting.splice(0)) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    events,
    trust(key: string): void {
      secret = key;
    },
    /** Resolves when `count` events have arrived; rejects after 10 s. */
    async received(count: number): Promise<void> {
      const late = AbortSignal.timeout(10_000);
      while (events.length < count) {
        await new Promise<void>((resolve, reject) => {
          waiting.push(resolve);
          late.addEventListener('abort', () => reject(new Error(`only ${events.length} of ${count} events arrived`)), {
            once: true,
          });
        });
      }
    },
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Calls the automation API and prints each call. @throws Error if a call fails */
function createClient(baseUrl: string, token: string): Call {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const shown = body === undefined ? '' : ` ${JSON.stringify(body)}`;
    console.log(` → ${method} ${path}${shown}  ${answer.status}`);
    if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}: ${await answer.text()}`);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  };
}

/**
 * Runs the reference client flow of the interface specification ("What the service does") as an HTTP client: scan the
 * label, read the order, assigned, printing, consume, done. Prints each call and each verified event.
 * @throws Error if a response or an event is unexpected
 */
export async function walkReferenceFlow(baseUrl: string, token: string): Promise<void> {
  const call = createClient(baseUrl, token);
  const receiver = await startReceiver();
  try {
    await createSubscription(call, receiver);
    const order = await scanLabel(call, await createOrder(call));
    const isLow = await print(call, order);
    await checkEvents(receiver, isLow ? 6 : 5);
  } finally {
    await receiver.stop();
  }
}

async function createSubscription(call: Call, receiver: Receiver): Promise<void> {
  console.log('1. Create a webhook channel for a local receiver');
  const subscription = await call<{ id: string; secret: string }>('POST', '/webhook-subscriptions', {
    url: receiver.url,
    events: ['order.created', 'order.status_changed', 'filament.low_stock'],
    name: 'demo receiver',
  });
  receiver.trust(subscription.secret);
  await call('POST', `/webhook-subscriptions/${subscription.id}/test`);
}

/** @returns the text of its label */
async function createOrder(call: Call): Promise<string> {
  console.log('\n2. Create an order');
  const { id } = await call<Order>('POST', '/print-jobs', {
    model_name: 'Wall bracket, left',
    quantity_pieces: 4,
    material_name: 'PETG',
    color_hex: '#1E90FF',
    material_grams: 182.5,
    print_hours: 6.25,
    workflow_status: 'confirmed',
  });
  return `ORDER-${id}`;
}

async function scanLabel(call: Call, label: string): Promise<Order> {
  console.log(`\n3. Scan its label: ${label}`);
  const order = await call<Order>('GET', `/print-jobs/${label.slice('ORDER-'.length)}`);
  const { model_name, material_grams, material_name, color_hex, due_date } = order;
  console.log(`   ${model_name}: ${material_grams} g of ${material_name} ${color_hex}, due ${due_date}`);
  return order;
}

/** @returns whether it left the filament low in stock */
async function print(call: Call, { id, material_grams }: Order): Promise<boolean> {
  const { items: printers } = await call<{ items: { id: string; name: string }[] }>('GET', '/printers?per_page=1');
  const { items: filaments } = await call<{
    items: { id: string; name: string; remaining_grams: number; low_stock_threshold_grams: number }[];
  }>('GET', '/filaments?q=PETG%20Blue&per_page=1');
  const [printer] = printers;
  const [filament] = filaments;
  if (!printer || !filament) throw new Error('the sample data has no printer or no PETG filament');

  console.log(`\n4. Choose a printer and a spool (${printer.name}, ${filament.name}), then print`);
  await call('PUT', `/print-jobs/${id}`, { workflow_status: 'assigned', printer_id: printer.id });
  await call('PUT', `/print-jobs/${id}`, { workflow_status: 'printing' });
  const after = await call<{ remaining_grams: number }>('POST', `/filaments/${filament.id}/consume`, {
    grams: material_grams,
    order_id: id,
    printer_id: printer.id,
  });
  console.log(`   ${filament.remaining_grams} g → ${after.remaining_grams} g`);
  await call('PUT', `/print-jobs/${id}`, { workflow_status: 'done' });
  const threshold = filament.low_stock_threshold_grams;
  return filament.remaining_grams > threshold && after.remaining_grams <= threshold;
}

async function checkEvents(receiver: Receiver, count: number): Promise<void> {
  await receiver.received(count);
  const statuses = receiver.events
    .filter(({ event }) => event === 'order.status_changed')
    .map(({ data }) => data.workflow_status);
  if (statuses.join() !== 'assigned,printing,done')
    throw new Error(`the events arrived in the wrong order: ${statuses.join()}`);
  console.log(
    `\nDone: received ${receiver.events.length} events in order, each exactly once, all signatures verified.`,
  );
}

import { spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { parse } from 'yaml';
import { openFarm } from '../kit/browser-farm.ts';
import type { Visitor } from '../kit/chromium.ts';
import { expectSoon } from '../kit/eventually.ts';
import { forSuite } from '../kit/opened.ts';
import { type Received, startReceiver } from '../kit/receiver.ts';

const farm = forSuite(() => openFarm({ env: { WEBHOOK_ALLOWED_HOSTS: 'loopback' } }));
let visitor: Visitor;
const receiver = forSuite(startReceiver);
let token: string;

beforeAll(async () => {
  visitor = await farm.visit('/automation/connect');
  await visitor.page.getByText('n8n-nodes-farmboard').waitFor();
  for (const section of (await visitor.page.locator('h2 > button').all()).slice(1)) await section.click();
});

/** A text as a reader copies it. */
const text = async (label: string): Promise<string> =>
  (await visitor.page.locator(`[data-copy="${label}"]`).first().textContent()) as string;

/** Runs a program with a text as its input. @returns what it wrote */
async function run(program: string, args: string[], input: string, env: Record<string, string> = {}): Promise<string> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'pipe' });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      written += more;
    });
  }
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${written}`);
  return written;
}

/** Runs the commands in one shell, as a person would in a terminal. */
const shell = (...lines: string[]) => run('bash', ['-eu'], lines.join('\n'));

/** Like Home Assistant, fills in `{{ name }}`. */
const filled = (template: string, values: Record<string, string>) =>
  template.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => {
    if (!(name in values)) throw new Error(`nothing is known of ${name}`);
    return values[name] as string;
  });

test('shows a token placeholder, fills in a new token and forgets it with the page', async () => {
  const { page } = visitor;
  await expectSoon(
    () => text('Run this first, once per shell'),
    `export FARMBOARD=${farm.service.baseUrl}\nexport TOKEN=pat_YOUR_TOKEN`,
  );
  await expectSoon(() => text('Base URL'), farm.service.baseUrl);
  await page.getByRole('button', { name: 'Create token and fill it in' }).click();
  await page.getByText('The examples below now contain your new token').waitFor();
  token = await text('Access token');
  expect(token).toMatch(/^pat_\w{20,}$/);
  const later = await farm.visit('/automation/connect');
  await later.page.getByText('n8n-nodes-farmboard').waitFor();
  expect(await later.page.content()).not.toContain(token);
  await later.page.context().close();
});

test('shows curl commands that work as displayed', async () => {
  const setup = await text('Run this first, once per shell');
  expect(JSON.parse(await shell(setup, await text('Check the token')))).toMatchObject({ token_name: 'n8n' });
  const order = JSON.parse(await shell(setup, await text('Create an order')));
  expect(order).toMatchObject({ model_name: 'Phone stand', quantity_pieces: 2 });
  const listed = JSON.parse(await shell(setup, await text('List the latest orders with a status')));
  expect(listed.items).toMatchObject([{ id: order.id }]);
  const moved = JSON.parse(await shell(setup, await text('Change the status of the latest order')));
  expect(moved).toMatchObject({ id: order.id, workflow_status: 'printing' });
});

test('creates a channel by its command, and all signature samples verify its deliveries', async () => {
  const line = (await text('Create a webhook channel; its secret appears only in this response')).replace(
    /^RECEIVER=\S+/,
    `RECEIVER=${receiver.url}`,
  );
  const { secret } = JSON.parse(await shell(await text('Run this first, once per shell'), line));
  await farm.ask('POST', '/print-jobs', { model_name: 'Ж "$HOME" \\ `x`' });
  await receiver.until((all) => all.length === 1);
  const [received] = receiver.received;
  const raw = received?.raw.toString('utf8') as string;
  const header = String(received?.headers['x-svc-signature']);
  expect(header).toBe(`sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`);

  const values = {
    BODY: raw,
    SECRET: secret,
    HEADER: header,
    WRONG: header.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  };
  expect((await run('bash', ['-eu'], await text('Shell'), values)).trim()).toBe(header);
  const inNode = `${await text('JavaScript (Node.js)')}
    const { BODY, SECRET, HEADER, WRONG } = process.env;
    console.log(isGenuine(SECRET, Buffer.from(BODY), HEADER), isGenuine(SECRET, Buffer.from(BODY), WRONG), isGenuine(SECRET, Buffer.from(BODY), undefined));`;
  expect((await run(process.execPath, ['--input-type=module', '-'], inNode, values)).trim()).toBe('true false false');
  const inPython = `${await text('Python')}
import os
body = os.environ["BODY"].encode()
print(is_genuine(os.environ["SECRET"], body, os.environ["HEADER"]), is_genuine(os.environ["SECRET"], body, os.environ["WRONG"]), is_genuine(os.environ["SECRET"], body, None))`;
  expect((await run('python3', ['-'], inPython, values)).trim()).toBe('True False False');
});

interface RestCommand {
  url: string;
  method: string;
  headers: Record<string, string>;
  content_type: string;
  payload: string;
}

test('shows a Home Assistant configuration whose commands, sensor and automation work', async () => {
  const configuration = parse(await text('configuration.yaml: two commands and a sensor'));
  const { rest_command, rest } = configuration as {
    rest_command: Record<string, RestCommand>;
    rest: { resource: string; headers: Record<string, string>; sensor: { value_template: string }[] }[];
  };
  const send = async (name: string, values: Record<string, string>) => {
    const { url, method, headers, content_type, payload } = rest_command[name] as RestCommand;
    const answer = await fetch(filled(url, values), {
      method: method.toUpperCase(),
      headers: { ...headers, 'Content-Type': content_type },
      body: filled(payload, values),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const order = await farm.ask<{ id: string }>('POST', '/print-jobs', { model_name: 'By a hub' });
  const move = { order_id: order.id, status: 'print_error' };
  expect(await send('farmboard_set_status', move)).toMatchObject({
    status: 200,
    body: { workflow_status: 'print_error' },
  });
  // a misspelled status is refused; without the header it would reset the order
  expect((await send('farmboard_set_status', { ...move, status: 'printed' })).status).toBe(422);
  const filament = await farm.ask<{ id: string }>('POST', '/filaments', { name: 'PETG', spool_count: 1 });
  expect(await send('farmboard_use_filament', { filament_id: filament.id, grams: '12.5' })).toMatchObject({
    status: 200,
    body: { used_grams: 12.5 },
  });

  const [{ resource, headers, sensor }] = rest as [(typeof rest)[0]];
  const summary = (await (await fetch(resource, { headers })).json()) as Record<string, number>;
  const key = /value_json\.(\w+)/.exec(sensor[0]?.value_template ?? '')?.[1];
  expect(summary).toHaveProperty(String(key));

  const [automation] = parse(await text('automations.yaml: a notification when a print fails'));
  const webhookId = automation.triggers[0].webhook_id;
  expect(webhookId).toMatch(/^farmboard-[0-9a-f]{16,}$/);
  await expectSoon(() => text('Channel URL'), expect.stringMatching(new RegExp(`/api/webhook/${webhookId}$`)));
  // every field that the templates read is in the event
  const template = JSON.stringify(automation);
  await receiver.until((all) => all.some(({ body }) => body.data.workflow_status === 'print_error'));
  const event = receiver.received.find(({ body }) => body.data.workflow_status === 'print_error');
  for (const [, field] of template.matchAll(/trigger\.json\.data\.(\w+)/g))
    expect(event?.body.data).toHaveProperty(String(field));
  expect(template).toContain("trigger.json.event == 'order.status_changed'");
});

interface Node {
  id: string;
  type: string;
  z?: string;
  name?: string;
  func?: string;
  url?: string;
  libs?: { var: string; module: string }[];
  wires?: string[][];
}

test('shows a consistent Node-RED flow that moves an order and verifies events', async () => {
  const flow = JSON.parse(await text('Flow')) as Node[];
  const ids = flow.map(({ id }) => id);
  expect(new Set(ids).size).toBe(flow.length);
  const [tab] = flow.filter(({ type }) => type === 'tab');
  for (const { type, z, wires = [] } of flow.filter((node) => node !== tab)) {
    expect([type, z]).toEqual([type, tab?.id]);
    for (const id of wires.flat()) expect(ids).toContain(id);
  }
  const runFunction = (name: string, msg: object, environment: Record<string, string>) => {
    const { func = '', libs = [] } = flow.find((node) => node.name === name) as Node;
    const call = new Function('msg', 'env', ...libs.map((lib) => lib.var), func);
    return call(
      msg,
      { get: (key: string) => environment[key] ?? '' },
      ...libs.map((lib) => require(`node:${lib.module}`)),
    );
  };

  const order = await farm.ask<{ id: string }>('POST', '/print-jobs', { model_name: 'By a flow' });
  // like the request node of Node-RED, which sends an object as JSON
  const { url, method, headers, payload } = runFunction('set status', { payload: 'printing' }, { ORDER_ID: order.id });
  const answer = await fetch(url, { method, headers, body: JSON.stringify(payload) });
  expect(await answer.json()).toMatchObject({ id: order.id, workflow_status: 'printing' });

  const hook = flow.find(({ type }) => type === 'http in');
  expect(hook?.url).toBe('/farmboard');
  const { secret } = await farm.ask<{ secret: string }>('POST', '/webhook-subscriptions', {
    url: `${receiver.url}${hook?.url}`,
    events: ['order.created'],
  });
  const name = `Ж "1.50" ${randomUUID()}`;
  await farm.ask('POST', '/print-jobs', { model_name: name, material_grams: 0.1, print_hours: 10 });
  // ignores events of earlier orders that may still arrive
  const ofIt = (all: Received[]) => all.filter(({ body }) => body.data.model_name === name);
  await receiver.until((all) => ofIt(all).length >= 2);
  // two channels received it, each signed with its own secret; one of them is the flow's
  const got = ofIt(receiver.received).map(({ body, headers: sent }) => ({ payload: body, req: { headers: sent } }));
  const answers = got.map((msg) => runFunction('verify signature', msg, { FARMBOARD_SECRET: secret }));
  expect(answers.map(([reply, event]) => [reply.statusCode, event?.payload.data.model_name]).toSorted()).toEqual([
    [204, name],
    [401, undefined],
  ]);
});

test('links to existing pages', async () => {
  for (const name of ['API documentation', 'OpenAPI document', 'OpenAPI document of the console API']) {
    const href = await visitor.page.getByRole('link', { name, exact: true }).getAttribute('href');
    expect([name, (await fetch(`${farm.service.origin}${href}`)).status]).toEqual([name, 200]);
  }
});

test('selects and copies text when the Clipboard API is missing', async () => {
  const { page } = visitor;
  await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
  // shown for two seconds
  const copied = page.getByRole('button', { name: 'Copied: Base URL' }).waitFor();
  await page.getByRole('button', { name: 'Copy: Base URL' }).click();
  await copied;
  expect(await page.evaluate('String(getSelection())')).toBe(farm.service.baseUrl);
  expect(visitor.browserErrors).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';

// What can be checked of the examples without n8n; examples.e2e.ts runs them in a real one.

const CREDENTIAL_NAMES: Record<string, string> = {
  farmboardApi: 'Farmboard account',
  httpHeaderAuth: 'Workshop key',
  oAuth2Api: 'Etsy account',
  openAiApi: 'OpenAI account',
};
const CREDENTIALS: Record<string, string[]> = {
  '1-label-scan-assigned.json': ['farmboardApi', 'httpHeaderAuth'],
  '10-woocommerce-orders.json': ['farmboardApi'],
  '11-etsy-orders.json': ['farmboardApi', 'oAuth2Api'],
  '12-wait-for-status.json': ['farmboardApi'],
  '2-print-started.json': ['farmboardApi', 'httpHeaderAuth'],
  '3-print-finished.json': ['farmboardApi', 'httpHeaderAuth'],
  '4-low-stock-message.json': ['farmboardApi'],
  '5-new-order-chat.json': ['farmboardApi'],
  '6-nightly-reconcile.json': ['farmboardApi'],
  '7-order-from-form.json': ['farmboardApi'],
  '8-ask-the-farm.json': ['farmboardApi', 'openAiApi'],
  '9-shopify-orders.json': ['farmboardApi'],
};

const ROOT = resolve(__dirname, '../..');
const FOLDER = join(ROOT, 'examples/n8n');
const GUIDE = readFileSync(join(ROOT, 'docs/guide/n8n-examples.md'), 'utf8');
const FILES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .sort();

interface Node {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  parameters: Record<string, unknown>;
  credentials?: Record<string, { id: string | null; name: string }>;
  webhookId?: string;
}

interface Example {
  name: string;
  nodes: Node[];
  connections: Record<string, Record<string, Array<Array<{ node: string; type: string; index: number }>>>>;
  settings: Record<string, unknown>;
  active: boolean;
}

/** The newest versions of n8n's own nodes that both n8n 2.4 and 2.41 have; the examples use no newer ones. */
const VERSIONS: Record<string, number> = {
  '@n8n/n8n-nodes-langchain.agent': 3.1,
  '@n8n/n8n-nodes-langchain.chatTrigger': 1.4,
  '@n8n/n8n-nodes-langchain.lmChatOpenAi': 1.3,
  '@n8n/n8n-nodes-langchain.memoryBufferWindow': 1.3,
  'n8n-nodes-base.crypto': 1,
  'n8n-nodes-base.form': 2.5,
  'n8n-nodes-base.formTrigger': 2.5,
  'n8n-nodes-base.httpRequest': 4.3,
  'n8n-nodes-base.if': 2.3,
  'n8n-nodes-base.noOp': 1,
  'n8n-nodes-base.respondToWebhook': 1.5,
  'n8n-nodes-base.scheduleTrigger': 1.3,
  'n8n-nodes-base.set': 3.4,
  'n8n-nodes-base.splitOut': 1,
  'n8n-nodes-base.stickyNote': 1,
  'n8n-nodes-base.wait': 1.1,
  'n8n-nodes-base.webhook': 2.1,
  'n8n-nodes-farmboard.farmboard': 1,
  'n8n-nodes-farmboard.farmboardTool': 1,
  'n8n-nodes-farmboard.farmboardTrigger': 1,
};
/** Nodes called from outside: n8n makes their address of `webhookId`. */
const IS_CALLED = /\.(webhook|formTrigger|form|chatTrigger|farmboardTrigger|wait)$/;
const STICKY = 'n8n-nodes-base.stickyNote';
/** The size of a node with the text below it, as the editor draws it. */
const NODE_SIZE = { width: 96, height: 136 };

const read = (file: string): Example => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));

const describeNode = (className: string): INodeTypeDescription => {
  const { [className]: Node } = require(join(ROOT, 'dist/nodes/Farmboard', `${className}.node.js`));
  return new Node().description;
};
const ACTION = describeNode('Farmboard');
const TRIGGER = describeNode('FarmboardTrigger');

/** The fields that the node shows with these parameters. */
function shownFields({ properties }: INodeTypeDescription, parameters: Record<string, unknown>): INodeProperties[] {
  const isMet = ([name, values]: [string, unknown]) => {
    const value = parameters[name] ?? properties.find((field) => field.name === name)?.default;
    return (values as unknown[]).includes(value);
  };
  return properties.filter(
    ({ displayOptions: { show = {}, hide = {} } = {} }) =>
      Object.entries(show).every(isMet) && !Object.entries(hide).some(isMet),
  );
}

const namesOf = (options: INodeProperties['options']): string[] =>
  (options ?? []).map((option) => ('value' in option ? String((option as INodePropertyOptions).value) : option.name));

test('lists every example in the guide', () => {
  expect(Object.keys(CREDENTIALS)).toEqual(FILES);
  const told = [...GUIDE.matchAll(/examples\/n8n\/([\w-]+\.json)/g)].map(([, file]) => file);
  expect([...new Set(told)].sort()).toEqual(FILES);
});

describe.each(FILES)('%s', (file) => {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  const { name, nodes, connections, settings, active } = read(file);
  const others = nodes.filter(({ type }) => type !== STICKY);

  test('is a valid n8n workflow', () => {
    expect(name).toMatch(/^Farmboard \d+: /);
    expect({ settings, active }).toEqual({ settings: { executionOrder: 'v1' }, active: false });
    expect(new Set(nodes.map((node) => node.name)).size).toBe(nodes.length);
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
    for (const node of nodes) {
      expect(node.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
      expect({ node: node.name, isCalled: node.webhookId !== undefined }).toEqual({
        node: node.name,
        isCalled: IS_CALLED.test(node.type),
      });
    }
  });

  test('uses node versions that old and new n8n support', () => {
    for (const { type, typeVersion } of nodes) {
      expect(Object.keys(VERSIONS)).toContain(type);
      expect({ type, isKnown: typeVersion <= (VERSIONS[type] as number) }).toEqual({ type, isKnown: true });
    }
  });

  test('connects all nodes', () => {
    const names = others.map((node) => node.name);
    const ends = Object.entries(connections).flatMap(([from, kinds]) => [
      from,
      ...Object.values(kinds)
        .flat(2)
        .map(({ node }) => node),
    ]);
    expect([...new Set(ends)].sort()).toEqual([...names].sort());
  });

  test('contains no credentials and no real addresses', () => {
    for (const { credentials = {}, type } of nodes) {
      expect(type.startsWith('n8n-nodes-farmboard.')).toBe('farmboardApi' in credentials);
      for (const [kind, credential] of Object.entries(credentials)) {
        expect(credential).toEqual({ id: null, name: CREDENTIAL_NAMES[kind] });
      }
    }
    const used = new Set(nodes.flatMap(({ credentials = {} }) => Object.keys(credentials)));
    expect([...used].sort()).toEqual(CREDENTIALS[file]);
    for (const [, host] of text.matchAll(/https?:\/\/([^/"\s]+)/g)) expect(host).toMatch(/(^|\.)(example|etsy)\.com$/);
    expect(text).not.toMatch(/pat_|whsec_|Bearer /);
  });

  test('explains setup and testing in one note', () => {
    const notes = nodes.filter(({ type }) => type === STICKY);
    expect(notes).toHaveLength(1);
    const content = String(notes[0]?.parameters.content);
    expect(content).toMatch(/^## .+\n/);
    expect(content).toContain('**Set:**');
    expect(content).toContain('**Try it:**');
    for (const [, named] of content.matchAll(/(?<!\*)\*([A-Z][^*]+)\*(?!\*)/g)) {
      const words = [
        'Execute workflow',
        'Open chat',
        'Fetch Full Record',
        'Print Error',
        'Maximum Age',
        'Order created',
        'Order updated',
      ];
      expect([...others.map((node) => node.name), ...words]).toContain(named);
    }
  });

  test('is laid out on the grid without overlaps', () => {
    const boxes = nodes.map(({ name: of, position: [x, y], type, parameters }) => {
      const { width, height } = type === STICKY ? (parameters as typeof NODE_SIZE) : NODE_SIZE;
      return { of, x, y, right: x + width, bottom: y + height };
    });
    for (const { of, x, y } of boxes) expect({ of, off: [x % 16, y % 16].map(Math.abs) }).toEqual({ of, off: [0, 0] });
    const overlaps = boxes.flatMap((one, i) =>
      boxes
        .slice(i + 1)
        .filter(({ x, y, right, bottom }) => x < one.right && one.x < right && y < one.bottom && one.y < bottom)
        .map(({ of }) => `${one.of} and ${of}`),
    );
    expect(overlaps).toEqual([]);
  });

  test('sets only visible fields of the Farmboard nodes', () => {
    for (const { name: node, type, parameters } of nodes.filter(({ type: t }) => t.includes('farmboard'))) {
      const fields = shownFields(type.endsWith('Trigger') ? TRIGGER : ACTION, parameters);
      const own = type.endsWith('Tool') ? ['descriptionType', 'toolDescription'] : [];
      const known = [...fields.map((field) => field.name), ...own];
      for (const [key, value] of Object.entries(parameters)) {
        expect({ node, known }).toEqual({ node, known: expect.arrayContaining([key]) });
        const field = fields.find((one) => one.name === key);
        const isExpression = typeof value === 'string' && value.startsWith('=');
        if (field?.type === 'collection') {
          expect(namesOf(field.options)).toEqual(expect.arrayContaining(Object.keys(value as object)));
        } else if (field?.type === 'options' && !isExpression) {
          expect(namesOf(field.options)).toContain(value);
        } else if (field?.type === 'multiOptions') {
          expect(namesOf(field.options)).toEqual(expect.arrayContaining(value as string[]));
        }
      }
      for (const { name: needed, required } of fields) {
        if (required)
          expect({ node, parameters: Object.keys(parameters) }).toEqual({
            node,
            parameters: expect.arrayContaining([needed]),
          });
      }
    }
  });

  test('has the same name in the guide and in n8n', () => {
    const section = GUIDE.split(/^## /m).find((one) => one.includes(basename(file)));
    for (const node of others.filter(({ type }) => type.endsWith('.webhook'))) {
      expect(section).toContain(`webhook/${node.parameters.path}`);
    }
    expect(section?.split('\n')[0]?.trim().toLowerCase()).toBe(name.replace(/^Farmboard /, '').toLowerCase());
  });
});

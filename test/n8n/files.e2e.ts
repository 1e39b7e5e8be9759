import { outputOf } from '../kit/n8n/n8n-client.ts';
import { createOrder, openTestSetup, type TestSetup } from '../kit/n8n/scene.ts';
import { ACTION_TYPE, byId, chain, farmboardNode, manualTrigger, node } from '../kit/n8n/workflows.ts';
import { readQrCodeOf } from '../kit/qr-code.ts';

// A file that the node outputs is one that the next node can read.

let scene: TestSetup;
beforeAll(async () => {
  scene = await openTestSetup();
});
afterAll(() => scene?.close());

test('the next node reads the label of an order', async () => {
  const orderId = await createOrder(scene);
  const label = { resource: 'order', operation: 'getLabel', orderId: byId(orderId), format: 'png' };
  const nodes = [
    manualTrigger(),
    farmboardNode('Label', ACTION_TYPE, scene.credential, { ...label, binaryPropertyName: 'label' }),
    node(
      'Read',
      'n8n-nodes-base.code',
      {
        jsCode: `const file = await this.helpers.getBinaryDataBuffer(0, 'label');
const { fileName, mimeType } = $input.first().binary.label;
return [{ json: { fileName, mimeType, content: file.toString('base64') } }];`,
      },
      { typeVersion: 2 },
    ),
  ];
  const { client } = scene.n8n;
  const { id } = await client.create({ name: 'Print a label', nodes, connections: chain(...nodes) });
  const run = await client.run(id, 'Start');

  expect(run.data.resultData.error?.message).toBeUndefined();
  const [{ content, ...file } = {}] = outputOf(run, 'Read');
  expect(file).toEqual({ fileName: `ORDER-${orderId}.png`, mimeType: 'image/png' });
  expect(readQrCodeOf(Buffer.from(String(content), 'base64'))).toBe(`ORDER-${orderId}`);
});

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { UNKNOWN_ID } from '../../kit/farm.ts';
import { passOn, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { jsonOf, locatorFromItem, sourcesOf, startRig } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';
import { issueInvoice, openSeller } from '../../kit/payments.ts';

// Operations that output a file.

const fake = forSuite(startFakeServer);
const rig = forSuite(() => startRig(fake.baseUrl));

beforeEach(() => fake.answerWith((seen) => passOn(rig.farm.service.origin, seen)));

const node = { typeVersion: 1 };
const give = (resource: string, operation: string, parameters: IDataObject, items: IDataObject[] = [{}]) =>
  rig.n8n.give({ resource, operation, ...parameters }, { items, node });
const refusal = (resource: string, operation: string, parameters: IDataObject) =>
  rig.n8n.refusal({ resource, operation, ...parameters }, { node });

/** The file in a binary field; n8n keeps it as base64 where it stores none on disk. */
const fileIn = (item: INodeExecutionData | undefined, field = 'data'): Buffer =>
  Buffer.from(String(item?.binary?.[field]?.data), 'base64');

async function download(path: string): Promise<Buffer> {
  const headers = { Authorization: `Bearer ${rig.farm.token}` };
  return Buffer.from(await (await fetch(`${rig.farm.service.baseUrl}${path}`, { headers })).arrayBuffer());
}

describe.each(['order', 'filament'])('the label of %s', (resource) => {
  const record = () => (resource === 'order' ? rig.farm.order() : rig.farm.filament());
  const pathOf = (id: string) => `/${resource === 'order' ? 'print-jobs' : 'filaments'}/${id}/label`;

  test.each([
    ['png', 'image/png'],
    ['svg', 'image/svg+xml'],
  ])('is the same %s file as that of the API', async (format, type) => {
    const { id } = await record();
    const [output] = await give(resource, 'getLabel', { [`${resource}Id`]: id, format });
    const wanted = await download(`${pathOf(id)}?format=${format}`);
    expect(fileIn(output)).toEqual(wanted);
    const name = `${resource.toUpperCase()}-${id}.${format}`;
    expect(output?.json).toEqual({ file_name: name, mime_type: type, size: wanted.length });
    expect(output?.binary?.data).toMatchObject({ fileName: name, mimeType: type });
  });

  test('belongs to its item, in the chosen field', async () => {
    const records = [await record(), await record()];
    const output = await give(
      resource,
      'getLabel',
      { [`${resource}Id`]: locatorFromItem('id'), binaryPropertyName: 'label' },
      records.map(({ id }) => ({ id })),
    );
    expect(sourcesOf(output)).toEqual([0, 1]);
    expect(jsonOf(output).map(({ file_name }) => file_name)).toEqual(
      records.map(({ id }) => `${resource.toUpperCase()}-${id}.png`),
    );
    expect(fileIn(output[1], 'label').subarray(1, 4).toString()).toBe('PNG');
  });
});

describe('the PDF of an invoice', () => {
  test('is the one that the customer gets', async () => {
    const seller = await openSeller(rig.farm.service, rig.farm.email);
    const lines = [{ description: 'Bracket', quantity: 1, unit_price: 995 }];
    const { id, number } = await issueInvoice(seller, { customer_name: 'Vera', lines });
    const [output] = await give('invoice', 'getPdf', { invoiceId: id });
    expect(fileIn(output)).toEqual(await download(`/invoices/${id}/pdf`));
    expect(output?.json).toMatchObject({ file_name: `invoice-${number}.pdf`, mime_type: 'application/pdf' });
  });

  test('of a draft does not exist, which the error says', async () => {
    const owner = await rig.farm.console();
    const lines = [{ description: 'Bracket', quantity: 1, unit_price: 100 }];
    const { id } = (await owner.post<{ id: string }>('/invoices', { customer_name: 'Vera', lines })).body;
    const error = await refusal('invoice', 'getPdf', { invoiceId: id });
    expect(`${error.message} ${error.description}`).toContain('A draft has no PDF');
  });
});

describe('a file', () => {
  test('that does not exist is an error with the kind and ID of its record', async () => {
    const error = await refusal('order', 'getLabel', { orderId: UNKNOWN_ID });
    expect(error.message).toBe(`There is no order with the ID ${UNKNOWN_ID}`);
  });

  test.each([
    ['a page of another program', { headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' }],
    ['JSON', { body: { ok: true } }],
  ])('is never %s', async (_what, answer) => {
    fake.answerWith(() => answer);
    const error = await refusal('order', 'getLabel', { orderId: UNKNOWN_ID });
    expect(error.message).toMatch(/^There is no Farmboard at .* \(status 200\)$/);
  });

  test('is asked for again when the connection breaks', async () => {
    const { id } = await rig.farm.order();
    fake.answerWith((seen, nth) => (nth === 1 ? 'half' : passOn(rig.farm.service.origin, seen)));
    const [output] = await give('order', 'getLabel', { orderId: id });
    expect(fileIn(output)).toEqual(await download(`/print-jobs/${id}/label?format=png`));
  });
});

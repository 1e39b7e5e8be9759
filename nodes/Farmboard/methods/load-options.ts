import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { getRecords } from '../shared/paging';

async function options(context: ILoadOptionsFunctions, path: string): Promise<INodePropertyOptions[]> {
  const records = await getRecords(context, { path, maxPauseMs: 5_000 });
  return records
    .map(({ id, name }) => ({ name: String(name), value: String(id) }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

export async function getPrinters(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return await options(this, '/printers');
}

export async function getPrinterGroups(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return await options(this, '/printer-groups');
}

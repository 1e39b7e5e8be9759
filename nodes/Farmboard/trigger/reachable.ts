import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { addressScope } from '../shared/address-scope';

/**
 * A workflow whose webhook address Farmboard can never reach would be published and never run. This is refused at once
 * where it is certain: a private address is fine as long as Farmboard is on the same machine or network.
 *
 * @throws NodeOperationError that says which setting to change
 */
export function assertReachable(node: INode, webhookUrl: string, baseUrl: string): void {
  if (addressScope(baseUrl) !== 'public') return;
  const place = addressScope(webhookUrl);
  if (place === 'public') return;
  const where = place === 'loopback' ? 'that only n8n itself can reach' : 'in a private network';
  throw new NodeOperationError(node, `Farmboard cannot send events to ${webhookUrl}`, {
    description: `The webhook has an address ${where}, but Farmboard (${baseUrl}) is elsewhere. Set WEBHOOK_URL on the n8n server to its public address, restart n8n, and publish the workflow again.`,
  });
}

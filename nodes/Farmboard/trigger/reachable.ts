import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { addressScope } from '../shared/address-scope';

/**
 * Refuses to publish a workflow whose webhook URL Farmboard can certainly never reach. A private address is allowed if
 * Farmboard is on the same machine or network.
 * @throws NodeOperationError that names the setting to change
 */
export function assertReachable(node: INode, webhookUrl: string, baseUrl: string): void {
  if (addressScope(baseUrl) !== 'public') return;
  const place = addressScope(webhookUrl);
  if (place === 'public') return;
  const where = place === 'loopback' ? 'that only n8n itself can reach' : 'in a private network';
  // n8n keeps the error, so it must not contain a password of WEBHOOK_URL
  const shown = webhookUrl.replace(/^(https?:\/\/)[^/]*@/i, '$1');
  throw new NodeOperationError(node, `Farmboard cannot send events to ${shown}`, {
    description: `The webhook has an address ${where}, but Farmboard (${baseUrl}) is elsewhere. Set WEBHOOK_URL on the n8n server to its public address, restart n8n, and publish the workflow again.`,
  });
}

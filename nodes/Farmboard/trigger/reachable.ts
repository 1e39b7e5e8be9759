import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

type Place = 'loopback' | 'private' | 'public';

const PRIVATE = [
  /^10(\.\d+){3}$/,
  /^192\.168(\.\d+){2}$/,
  /^172\.(1[6-9]|2\d|3[01])(\.\d+){2}$/,
  /^169\.254(\.\d+){2}$/,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])(\.\d+){2}$/,
  /^\[f[cd]/,
  /^\[fe[89ab]/,
  /\.(local|lan|home|internal|localdomain|home\.arpa)$/,
];

/** Where an address leads, judged by what is written: a name without a dot is one of the own network. */
export function placeOf(url: string): Place {
  const [, host = ''] = /^https?:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(url.toLowerCase()) ?? [];
  if (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    /^127(\.\d+){3}$/.test(host) ||
    host === '[::1]' ||
    host === '0.0.0.0'
  ) {
    return 'loopback';
  }
  const isName = !host.startsWith('[') && !host.includes('.');
  return isName || PRIVATE.some((pattern) => pattern.test(host)) ? 'private' : 'public';
}

/**
 * A webhook address that Farmboard can never reach would make a workflow that is active and never runs. Told at once
 * where it is certain: a private address is fine as long as Farmboard is on the same machine or network.
 *
 * @throws NodeOperationError that says which setting to change
 */
export function assertReachable(node: INode, webhookUrl: string, baseUrl: string): void {
  if (placeOf(baseUrl) !== 'public') return;
  const place = placeOf(webhookUrl);
  if (place === 'public') return;
  const where = place === 'loopback' ? 'only n8n itself can reach' : 'is in a private network';
  throw new NodeOperationError(node, `Farmboard cannot send events to ${webhookUrl}`, {
    description: `n8n gives its webhooks an address that ${where}, and Farmboard (${baseUrl}) is elsewhere. Set WEBHOOK_URL where n8n runs to the address under which the internet reaches it, restart n8n, and publish the workflow again.`,
  });
}

import { randomUUID } from 'node:crypto';
import type { Connections, NewWorkflow, WorkflowNode } from './n8n-client.ts';

const PACKAGE = 'n8n-nodes-farmboard';
export const TRIGGER_TYPE = `${PACKAGE}.farmboardTrigger`;
export const ACTION_TYPE = `${PACKAGE}.farmboard`;
export const TOOL_TYPE = `${PACKAGE}.farmboardTool`;
export const CREDENTIAL_TYPE = 'farmboardApi';

interface Credential {
  id: string;
  name: string;
}

export function node(
  name: string,
  type: string,
  parameters: Record<string, unknown>,
  more: Partial<WorkflowNode> = {},
): WorkflowNode {
  return { id: randomUUID(), name, type, typeVersion: 1, position: [0, 0], parameters, ...more };
}

export const farmboardNode = (
  name: string,
  type: string,
  credential: Credential,
  parameters: Record<string, unknown>,
  more: Partial<WorkflowNode> = {},
): WorkflowNode => node(name, type, parameters, { credentials: { [CREDENTIAL_TYPE]: credential }, ...more });

export const manualTrigger = (name = 'Start'): WorkflowNode => node(name, 'n8n-nodes-base.manualTrigger', {});

/** Ends a branch and shows in the run what came that far. */
export const noOp = (name: string): WorkflowNode => node(name, 'n8n-nodes-base.noOp', {});

/** Wires nodes one after another over their first outputs. */
export function chain(...nodes: WorkflowNode[]): Connections {
  const connections: Connections = {};
  nodes.slice(1).forEach((next, i) => {
    connections[(nodes[i] as WorkflowNode).name] = { main: [[{ node: next.name, type: 'main', index: 0 }]] };
  });
  return connections;
}

/** A picked record, by its id. */
export const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** A trigger and what shows that it ran. */
export function triggerWorkflow(
  name: string,
  credential: Credential,
  events: string[],
  more: { webhookId?: string; options?: Record<string, unknown>; executeStep?: 'last' } = {},
): NewWorkflow {
  const trigger = farmboardNode(
    'Farmboard Trigger',
    TRIGGER_TYPE,
    credential,
    { events, executeStep: more.executeStep ?? 'next', options: more.options ?? {} },
    { webhookId: more.webhookId ?? randomUUID() },
  );
  const after = noOp('After');
  return { name, nodes: [trigger, after], connections: chain(trigger, after) };
}

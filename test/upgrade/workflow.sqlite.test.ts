import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type INode, NodeHelpers } from 'n8n-workflow';
import { createHarness, TRIGGER_TYPE, TYPE } from '../kit/n8n/harness.ts';
import { FIXTURES, releases } from '../kit/release-fixture.ts';

const workflowsOf = (release: string) => {
  const folder = join(FIXTURES, release, 'n8n');
  return readdirSync(folder).map((name) => ({
    name,
    nodes: (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { nodes: INode[] }).nodes,
  }));
};

describe.each(releases())('a workflow saved with the nodes of %s', (release) => {
  test.each(workflowsOf(release))('is loaded with every parameter: $name', async ({ nodes }) => {
    const n8n = await createHarness({ baseUrl: 'http://127.0.0.1:9/api/v1', accessToken: 'unused' });
    // as a tool of an agent, it is the same node
    const typeOf = ({ type }: INode) => type.replace(/Tool$/, '');
    const own = nodes.filter((node) => [TYPE, TRIGGER_TYPE].includes(typeOf(node)));
    expect(own.length).toBeGreaterThan(0);
    for (const node of own) {
      const { description } = n8n.typeOf(typeOf(node));
      expect([description.version].flat()).toContain(node.typeVersion);
      // n8n drops what no property of the node knows
      const known = NodeHelpers.getNodeParameters(
        description.properties,
        node.parameters,
        true,
        false,
        node,
        description,
      );
      // n8n's own parameters of a tool
      const { descriptionType, toolDescription, ...parameters } = node.parameters;
      expect(known).toMatchObject(parameters);
    }
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeAssistantTexts, nodeRedFlow } from './snippets.ts';

/** What the pages write instead of an address, a token and a webhook ID. */
const PLACE = { origin: 'http://farm.local:3000', token: 'pat_YOUR_TOKEN' };
const WEBHOOK_ID = 'farmboard-CHOOSE_SOMETHING_HARD_TO_GUESS';

const blocksOf = (page: string) =>
  [
    ...readFileSync(join(__dirname, `../../../../../docs/hubs/${page}.md`), 'utf8').matchAll(
      /^```\w*\n([\s\S]*?)^```$/gm,
    ),
  ].map(([, text]) => text ?? '');

// test/browser/connect.test.ts runs what the console displays

test('the page for Home Assistant has the texts that the console displays', () => {
  const { configuration, automation, channelUrl } = homeAssistantTexts(PLACE, WEBHOOK_ID);
  const blocks = blocksOf('home-assistant');
  expect(blocks).toEqual(expect.arrayContaining([configuration, automation, `${channelUrl}\n`]));
});

test('the page for Node-RED quotes the flow that the console displays', () => {
  const check = (JSON.parse(nodeRedFlow(PLACE)) as { name?: string; func?: string }[]).find(
    ({ name }) => name === 'verify signature',
  );
  const [quoted = ''] = blocksOf('node-red').slice(-1);
  expect(quoted).toContain('isGenuine');
  for (const line of quoted.trim().split('\n')) expect(check?.func).toContain(line);
});

import { blocksOf } from '../kit/docs/blocks.ts';
import { prepareFarm } from '../kit/docs/prepared-farm.ts';
import { runSession, type Session, sessionsOf } from '../kit/docs/run-blocks.ts';
import { currentHost } from '../kit/n8n/host.ts';

test('n8n starts as the page of the examples says, and a scanned label assigns its order', async () => {
  const { node, n8n } = currentHost();
  const farm = await prepareFarm();
  try {
    const [session] = sessionsOf(blocksOf('examples/n8n/README.md')) as [Session];
    const given = {
      ...farm,
      programs: {
        n8n: `exec ${node} ${n8n} "$@"`,
        // at its first start, n8n says that it is up a moment before published workflows are
        curl: 'PATH=$(echo "$PATH" | cut -d: -f2-) exec curl --retry 60 --retry-delay 1 --retry-all-errors --fail-with-body "$@"',
      },
      // of this version, packed once before all suites; n8n sends nothing outside
      env: { ...OFFLINE, FARMBOARD_N8N_PACKAGE: process.env.FARMBOARD_N8N_PACKAGE as string },
    };
    const { output, after } = await runSession(session, given, READ_ORDER);
    expect(Object.values(output).join('')).toContain('"ok":true');
    expect(JSON.parse(after)).toMatchObject({ workflow_status: 'assigned' });
  } finally {
    farm.remove();
  }
});

const OFFLINE = {
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
};

const READ_ORDER = 'curl -sS http://127.0.0.1:3000/api/v1/print-jobs/$ORDER -H "Authorization: Bearer $TOKEN"';

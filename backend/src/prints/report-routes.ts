import type { Clock } from '../../../common/src/clock.ts';
import { toIso } from '../../../common/src/clock.ts';
import {
  ALREADY_DEDUCTED,
  REPLAYED,
  type Refusal,
  type Reply,
  type Route,
  routesOf,
  whenAlreadyDeducted,
} from '../http/route.ts';
import type { PrinterService } from '../printers/printer-service.ts';
import type { AgentActor } from './agent-service.ts';
import { parseReport } from './ingest/agent-report.ts';
import { AppriseNotification, parseApprise } from './ingest/apprise.ts';
import { OctoPrintNotification, parseOctoPrint } from './ingest/octoprint.ts';
import type { Parsed } from './ingest/stored-body.ts';
import type { RefusedReportService } from './refused-report-service.ts';
import type { Source } from './report.ts';
import { AgentMe, Ignored, NewReport, ReportRecord } from './report-schema.ts';
import type { Recorded, ReportService } from './report-service.ts';

const { get, post } = routesOf('Agents');

const SIGNATURE = {
  'X-Agent-Signature':
    '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.` and the bytes of the body, keyed with the whole token. Optional unless the agent takes signed reports only; wrong, or more than 300 s off: 401',
};

export const stored = {
  201: { description: 'Stored now', schema: ReportRecord, headers: ALREADY_DEDUCTED },
  200: {
    description: 'The report of this print that was stored before',
    schema: ReportRecord,
    headers: { ...REPLAYED, ...ALREADY_DEDUCTED },
  },
};

export const toReply = ({ result, replayed, alreadyDeductedGrams }: Recorded): Reply => ({
  status: replayed ? 200 : 201,
  body: result,
  replayed,
  headers: whenAlreadyDeducted(alreadyDeductedGrams),
});

/** The password of a Basic header, for programs that can't send a Bearer token. */
function passwordOf(authorization: string | undefined): string | undefined {
  const [, pair] = /^Basic +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (pair === undefined) return undefined;
  const text = Buffer.from(pair, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

/** The agent API: what programs beside the printers report. */
export function agentRoutes(deps: {
  printers: Pick<PrinterService, 'listOfAgent'>;
  reports: ReportService;
  refused: RefusedReportService;
  clock: Clock;
}): Route[] {
  const { printers, reports, refused, clock } = deps;

  async function record(actor: AgentActor, source: Source, body: unknown, parsed: Parsed): Promise<Reply> {
    if (!('ignored' in parsed)) return toReply(await reports.record(actor, parsed));
    const { ignored, isFault } = parsed;
    if (isFault) await refused.keep(actor, { source, body, code: 'validation_error', reason: ignored });
    return { status: 202, body: { ignored } };
  }

  /** What of a refusal is kept is said to the sender, which otherwise has to keep it. */
  const keeping =
    (source: Source) =>
    async ({ actor, error, body }: Refusal) => {
      const { code, message } = error;
      const kept = await refused.keep(actor as AgentActor, { source, body, code, reason: message });
      return kept ? { kept } : {};
    };

  return [
    get('/me', {
      operationId: 'getAgent',
      summary: 'Get the current agent and its printers',
      description: "Use it to test a token. Compare `server_time` with the agent's clock.",
      requestHeaders: SIGNATURE,
      responses: { 200: { description: 'The agent', schema: AgentMe } },
      async handle({ actor }) {
        const { agent } = actor as AgentActor;
        const body = {
          agent_id: agent.id,
          name: agent.name,
          signed_only: agent.signed_only,
          server_time: toIso(clock()),
          printers: (await printers.listOfAgent(agent)).map(({ id, name }) => ({ id, name })),
        };
        return body;
      },
    }),
    post('/reports', {
      operationId: 'reportPrint',
      summary: 'Report a print that ended',
      description:
        'A finished print sends `printer.print_finished`, a failed one `printer.print_failed`, a cancelled one nothing: once per `event_id` of a printer, in the order in which they are stored. ' +
        "The same event_id with the same content returns the first report, with different content 409. The printer's rules decide what else a report does. " +
        'A refused report is kept for its owner if the error says `kept`: sending it again is then unnecessary.',
      body: NewReport,
      requestHeaders: SIGNATURE,
      errors: ['idempotency_conflict', 'version_conflict'],
      responses: stored,
      reply: ({ actor, body }) => record(actor as AgentActor, 'report', body, parseReport(body)),
      refused: keeping('report'),
    }),
    post('/octoprint', {
      operationId: 'receiveOctoPrint',
      summary: 'Accept a message from the OctoPrint-Webhooks plugin',
      description:
        'The token comes as `apiSecret`, as a Bearer token, or as the password of Basic. `Print Done`, `Print Failed` and `Print Cancelled` are reports; all else is ignored. ' +
        'JSON is read whatever its declared type and charset, as are forms, in which objects are texts of JSON. Files in a form, such as a snapshot, are discarded; 8 MB in all.',
      body: OctoPrintNotification,
      anyBody: {
        advice: 'In the plugin’s settings choose CONTENT TYPE: JSON, and activate the template Simple Example.',
      },
      errors: ['version_conflict'],
      responses: { ...stored, 202: { description: 'Nothing to store', schema: Ignored } },
      credential: async (authorization, body) => {
        const basic = passwordOf(authorization);
        if (basic !== undefined || authorization !== undefined) return basic;
        const { apiSecret } = ((await body()) ?? {}) as { apiSecret?: unknown };
        return typeof apiSecret === 'string' ? apiSecret : undefined;
      },
      reply: ({ actor, body }) => record(actor as AgentActor, 'octoprint', body, parseOctoPrint(body)),
      refused: keeping('octoprint'),
    }),
    post('/apprise', {
      operationId: 'receiveApprise',
      summary: 'Accept a notification from Apprise, such as those of Moonraker’s [notifier]',
      description:
        'The token comes as a Bearer token or as the password of Basic. The title is the event (`complete`, `error`, `cancelled`), the first line of the message the file; further lines may be `time=`, `grams=` and `reason=`. ' +
        'JSON is read whatever its declared type and charset, as are forms (`form://`). Files in a form are discarded; 8 MB in all.',
      body: AppriseNotification,
      anyBody: {
        advice:
          'In moonraker.conf let the url of this [notifier] begin with json:// (jsons:// for HTTPS), and remove attach:.',
      },
      errors: ['version_conflict'],
      responses: { ...stored, 202: { description: 'Nothing to store', schema: Ignored } },
      credential: async (authorization) => passwordOf(authorization),
      reply: ({ actor, body }) => record(actor as AgentActor, 'apprise', body, parseApprise(body)),
      refused: keeping('apprise'),
    }),
  ];
}

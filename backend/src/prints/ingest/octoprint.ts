import { z } from 'zod';
import { lookupTable } from '../../shared/lookup-table.ts';
import type { UnidentifiedPrint } from '../record-report.ts';
import type { Outcome } from '../report.ts';
import { toText } from '../report-schema.ts';

/** The fields read from an OctoPrint-Webhooks message. Owners edit its template, so any field may be missing or malformed. */
export const OctoPrintMessage = z
  .looseObject({
    deviceIdentifier: z.unknown().optional().describe('with the agent of a group: id, name or label of the printer'),
    apiSecret: z.unknown().optional().describe("the agent's token, unless it comes in a header"),
    topic: z.string().max(200).describe('`Print Done`, `Print Failed`, `Print Cancelled`; all else is ignored'),
    message: z.unknown().optional(),
    extra: z.unknown().optional().describe('what OctoPrint says of the event: `name`, `path`, `time`, `reason`'),
    job: z.unknown().optional(),
  })
  .meta({
    id: 'OctoPrintNotice',
    examples: [
      {
        topic: 'Print Done',
        message: 'bracket.gcode is done',
        extra: { name: 'bracket.gcode', path: 'bracket.gcode', origin: 'local', time: 5400 },
      },
    ],
  });

const OUTCOMES = lookupTable<Outcome>({
  printdone: 'finished',
  printfailed: 'failed',
  printcancelled: 'cancelled',
  printcanceled: 'cancelled',
});

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const textOf = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? toText(value, maxLength) : undefined;

/** The longest plausible print; a larger number is ignored. */
const MAX_SECONDS = 100 * 24 * 60 * 60;

export const secondsOf = (value: unknown): number | undefined => {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_SECONDS ? seconds : undefined;
};

/**
 * A print that ended, or why the message is not about one. OctoPrint fires both PrintCancelled and PrintFailed for a
 * cancelled print, in either order. Since OctoPrint 1.4 a failure has a `reason`; without one it may be a cancelled print.
 */
export function parseOctoPrint(body: z.output<typeof OctoPrintMessage>): UnidentifiedPrint | { ignored: string } {
  const outcome = OUTCOMES.get(body.topic.toLowerCase().replace(/[\s_-]/g, ''));
  if (!outcome) {
    return {
      ignored: `“${toText(body.topic, 100)}” ends no print: Print Done, Print Failed and Print Cancelled are reported.`,
    };
  }
  const extra = record(body.extra);
  if (extra.popup === true) {
    return { ignored: "The connection works. This is the plugin's test message, so no print was stored." };
  }
  const file = record(record(body.job).file);
  const path = textOf(extra.path, 500) ?? textOf(extra.file, 500) ?? textOf(file.path, 500);
  const filename = textOf(extra.name, 500) ?? textOf(file.name, 500) ?? path ?? '';
  const reason = textOf(extra.reason, 500);
  const error = textOf(extra.error, 500);
  const isCancel = outcome === 'cancelled' || (outcome === 'failed' && /^cancell?ed$/i.test(reason ?? ''));
  return {
    source: 'octoprint',
    printer: textOf(body.deviceIdentifier, 200),
    filename,
    file: `${textOf(extra.origin, 50) ?? ''}/${path ?? filename}`,
    outcome: isCancel ? 'cancelled' : outcome,
    mayBeCancelled: outcome === 'failed' && reason === undefined && error === undefined,
    seconds: secondsOf(extra.time),
    ...(isCancel || (reason ?? error) === undefined ? {} : { reason: error ?? reason }),
  };
}

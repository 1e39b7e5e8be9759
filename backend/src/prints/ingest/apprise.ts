import { z } from 'zod';
import { lookupTable } from '../../shared/lookup-table.ts';
import type { UnidentifiedPrint } from '../record-report.ts';
import type { Outcome } from '../report.ts';
import { toText } from '../report-schema.ts';
import { secondsOf } from './octoprint.ts';

/** A JSON notification from Apprise, as `json://` and `jsons://` URLs send it. Source: Apprise, plugin `custom_json`. */
export const AppriseNotification = z
  .looseObject({
    version: z.unknown().optional(),
    title: z
      .string()
      .max(1000)
      .optional()
      .describe('the event: `complete`, `error` or `cancelled`; all else is ignored'),
    message: z
      .string()
      .max(10_000)
      .describe('the file in the first line; further lines may be `time=<seconds>`, `grams=<grams>`, `reason=<text>`'),
    attachments: z.unknown().optional(),
    type: z.unknown().optional(),
    printer: z.unknown().optional().describe('with the agent of a group: id, name or label of the printer'),
  })
  .meta({
    id: 'AppriseNotice',
    examples: [
      { version: '1.0', title: 'complete', message: 'bracket.gcode\ngrams=45.5', attachments: [], type: 'info' },
    ],
  });

/** The event names of Moonraker's notifier, and what people write instead of them. */
const OUTCOMES = lookupTable<Outcome>({
  complete: 'finished',
  completed: 'finished',
  finished: 'finished',
  done: 'finished',
  error: 'failed',
  failed: 'failed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
});

const MAX_GRAMS = 1_000_000;

/** A print that ended, or why the notification is not about one. */
export function parseApprise(body: z.output<typeof AppriseNotification>): UnidentifiedPrint | { ignored: string } {
  const title = (body.title ?? '').trim();
  const outcome = OUTCOMES.get(title.toLowerCase());
  if (!outcome) {
    return {
      ignored: `The title “${toText(title, 100)}” ends no print: complete, error and cancelled are reported. In moonraker.conf write title: {event_name}.`,
    };
  }
  const [first = '', ...more] = body.message.split('\n').map((line) => line.trim());
  const details = new Map(
    more.map((line) => [line.split('=', 1)[0]?.trim().toLowerCase(), line.replace(/^[^=]*=\s*/, '')]),
  );
  const grams = Number(details.get('grams') || Number.NaN);
  const reason = details.get('reason');
  const filename = toText(first, 500);
  return {
    source: 'apprise',
    printer: typeof body.printer === 'string' && body.printer.trim() !== '' ? body.printer : undefined,
    filename,
    file: filename,
    outcome,
    // Moonraker distinguishes cancelled prints from failed ones
    mayBeCancelled: false,
    seconds: secondsOf(details.get('time')),
    ...(grams >= 0 && grams <= MAX_GRAMS ? { grams } : {}),
    ...(reason ? { reason: toText(reason, 500) } : {}),
  };
}

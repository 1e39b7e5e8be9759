import { z } from 'zod';
import { lookupTable } from '../../../../common/src/lookup-table.ts';
import type { Outcome } from '../report.ts';
import { toText } from '../report-schema.ts';
import type { UnidentifiedPrint } from '../reported-print.ts';
import type { IgnoredNotification } from './ignored-notification.ts';
import { readGrams, readSeconds } from './quantities.ts';
import { isUnfilled } from './values.ts';

/** A notification from Apprise, as `json://` and `form://` URLs send it. Source: Apprise, `custom_json` and `custom_form`. */
export const AppriseNotification = z
  .looseObject({
    version: z.unknown().optional(),
    title: z
      .string()
      .max(1000)
      .optional()
      .describe('the event: `complete`, `error` or `cancelled`; others are ignored'),
    message: z
      .string()
      .max(10_000)
      .describe(
        'the file name in the first line, then optionally lines with `time=<seconds>`, `grams=<grams>` and `reason=<text>`',
      ),
    attachments: z.unknown().optional(),
    type: z.unknown().optional(),
    printer: z.unknown().optional().describe('if the agent serves a group: ID, name or label of the printer'),
  })
  .meta({
    id: 'AppriseNotification',
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

/** Moonraker's events that end no print, and the titles of test messages. */
const OTHER_EVENTS = new Set([
  'started',
  'paused',
  'resumed',
  'standby',
  'printing',
  'gcode',
  'test',
  'testnotification',
]);

/** Why the title is not that of a print that ended. */
function describeOtherTitle(title: string, word: string): IgnoredNotification {
  const setting = 'In moonraker.conf write title: {event_name}.';
  const shown = `The title “${toText(title, 100)}”`;
  if (OTHER_EVENTS.has(word)) {
    return {
      ignored: `${shown} is not the end of a print: only complete, error and cancelled are reported. ${setting}`,
    };
  }
  const what = isUnfilled(title) ? 'is a template that was not filled in' : 'is unknown';
  return { ignored: `${shown} ${what}: only complete, error and cancelled are reported. ${setting}`, isFault: true };
}

/** The further lines of a message; of repeated ones the last. */
const readDetails = (lines: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^(time|grams|reason)\s*[=:]\s*(.*)$/is.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value.trim()]];
    }),
  );

/** The grams of a message; a text that can't be read as a plausible number is kept, so that a person can read it. */
function toGrams(received: string | undefined): Pick<UnidentifiedPrint, 'grams' | 'gramsText'> {
  if (!received) return {};
  const read = readGrams(received);
  return 'grams' in read ? { grams: read.grams } : { gramsText: toText(received, 100) };
}

/** A print that ended, or why the notification is not about one. */
export function parseApprise(body: z.output<typeof AppriseNotification>): UnidentifiedPrint | IgnoredNotification {
  const title = (body.title ?? '').trim();
  const word = title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const outcome = OUTCOMES.get(word.replace(/^(?:print|job)/, ''));
  if (!outcome) return describeOtherTitle(title, word);
  const [first = '', ...more] = body.message.split('\n').map((line) => line.trim());
  if (isUnfilled(first)) {
    return {
      ignored: `The first line of the message is “${toText(first, 100)}”, a template that was not filled in, so the file is unknown. In moonraker.conf write body: {event_args[1].filename}.`,
      isFault: true,
    };
  }
  const details = readDetails(more);
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
    seconds: readSeconds(details.get('time')),
    ...toGrams(details.get('grams')),
    ...(reason && !isUnfilled(reason) ? { reason: toText(reason, 500) } : {}),
  };
}

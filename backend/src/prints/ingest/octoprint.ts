import { z } from 'zod';
import { lookupTable } from '../../../../common/src/lookup-table.ts';
import { type Outcome, ordersIn } from '../report.ts';
import { toText } from '../report-schema.ts';
import type { UnidentifiedPrint } from '../reported-print.ts';
import type { IgnoredNotification } from './ignored-notification.ts';
import { readSeconds } from './quantities.ts';
import { type Fields, isUnfilled, toFields } from './values.ts';

const SETTING = 'In the plugin’s settings, under Advanced, DATA must contain';

/** The fields read from an OctoPrint-Webhooks message. Owners edit its template, so any field may be missing or malformed. */
export const OctoPrintNotification = z
  .looseObject({
    deviceIdentifier: z.unknown().optional().describe('if the agent serves a group: ID, name or label of the printer'),
    apiSecret: z.unknown().optional().describe("the agent's token, if it isn't sent in a header"),
    topic: z
      .string({ error: `must be text. ${SETTING} "topic": "@topic"` })
      .max(200)
      .describe('`Print Done`, `Print Failed` or `Print Cancelled`; others are ignored'),
    message: z.unknown().optional(),
    extra: z
      .unknown()
      .optional()
      .describe("OctoPrint's data about the event, as an object or as JSON text: `name`, `path`, `time`, `reason`"),
    job: z.unknown().optional().describe('used for the file name if `extra` has none'),
  })
  .meta({
    id: 'OctoPrintNotification',
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

/** Events that end no print. */
const OTHER_EVENTS = new Set([
  ...['printstarted', 'printpaused', 'printresumed', 'printprogress', 'printcancelling', 'printcanceling'],
  ...['useractionneeded', 'error', 'unknown'],
]);

const textOf = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && !isUnfilled(value) ? toText(value, maxLength) : undefined;

/** What is known about the file of a print; all texts are empty if nothing is. */
interface PrintFile {
  /** shown, and searched for the label of an order */
  filename: string;
  /** distinguishes it from others of the printer */
  key: string;
}

/** @param places where the file may be named, the best one first */
function findFile(places: readonly Fields[]): PrintFile {
  const first = (...names: string[]) =>
    places.flatMap((place) => names.map((name) => textOf(place[name], 500))).find((text) => text !== undefined);
  const path = first('path', 'file');
  const name = first('name', 'filename') ?? path ?? '';
  // uploads into a folder for the order name the order only there
  const filename = path !== undefined && ordersIn(name).length === 0 && ordersIn(path).length > 0 ? path : name;
  return { filename, key: filename === '' ? '' : `${first('origin') ?? ''}/${path ?? name}` };
}

/** Whether something was sent in a place where it can't be read. An event without details is empty or missing. */
const isUnreadable = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  !(typeof value === 'string' && value.trim() === '') &&
  toFields(value) === undefined;

/** Why the topic is not that of a print that ended; undefined if it is. */
function describeOtherTopic(topic: string, word: string): IgnoredNotification {
  const shown = `“${toText(topic, 100)}”`;
  if (OTHER_EVENTS.has(word)) {
    return {
      ignored: `${shown} is not the end of a print: only Print Done, Print Failed and Print Cancelled are reported.`,
    };
  }
  const what = isUnfilled(topic) ? 'is a variable that was not filled in' : 'is an unknown topic';
  return {
    ignored: `${shown} ${what}: only Print Done, Print Failed and Print Cancelled are reported, in English. ${SETTING} "topic": "@topic".`,
    isFault: true,
  };
}

const isUnnamed = (fields: Fields): boolean =>
  ['name', 'path'].some((name) => typeof fields[name] === 'string' && isUnfilled(fields[name]));

/** Why the details can't be read although they were sent; undefined if an event without details is all that was sent. */
function describeUnreadable(sent: unknown, fields: Fields): IgnoredNotification | undefined {
  if (!isUnreadable(sent) && !isUnnamed(fields)) return undefined;
  const shown = toText(typeof sent === 'string' ? sent : (JSON.stringify(sent) ?? ''), 100);
  return {
    ignored: `The message names no file, because its extra can't be read: ${shown}. ${SETTING} "extra": "@extra", with nothing else in that text.`,
    isFault: true,
  };
}

/**
 * A print that ended, or why the message is not about one. OctoPrint fires both PrintCancelled and PrintFailed for a
 * cancelled print, in either order. Since OctoPrint 1.4 a failure has a `reason`; without one it may be a cancelled print.
 */
export function parseOctoPrint(body: z.output<typeof OctoPrintNotification>): UnidentifiedPrint | IgnoredNotification {
  const word = body.topic.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const outcome = OUTCOMES.get(word);
  if (!outcome) return describeOtherTopic(body.topic, word);
  const extra = toFields(body.extra) ?? {};
  if (extra.popup === true) {
    return { ignored: "The connection works. This is the plugin's test message, so no print was stored." };
  }
  const { filename, key } = findFile([extra, toFields(toFields(body.job)?.file) ?? {}, body]);
  // templates with dot notation have the details beside the topic
  const details = { ...body, ...extra };
  const unreadable = filename === '' ? describeUnreadable(body.extra, details) : undefined;
  return unreadable ?? toPrint(outcome, details, { filename, file: key, printer: textOf(body.deviceIdentifier, 200) });
}

function toPrint(
  outcome: Outcome,
  details: Fields,
  file: Pick<UnidentifiedPrint, 'filename' | 'file' | 'printer'>,
): UnidentifiedPrint {
  const reason = textOf(details.reason, 500);
  const error = textOf(details.error, 500);
  const isCancel = outcome === 'cancelled' || (outcome === 'failed' && /^cancell?ed$/i.test(reason ?? ''));
  return {
    source: 'octoprint',
    ...file,
    outcome: isCancel ? 'cancelled' : outcome,
    mayBeCancelled: outcome === 'failed' && reason === undefined && error === undefined,
    seconds: readSeconds(details.time),
    ...(isCancel || (reason ?? error) === undefined ? {} : { reason: error ?? reason }),
  };
}

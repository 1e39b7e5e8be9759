import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { WORKFLOW_STATUSES } from '../orders/status.ts';
import { ERROR_CODES } from '../shared/errors.ts';
import { listOf, pageQuery } from '../shared/pagination.ts';
import { decimal, nonBlank, text, timestamp, uuid } from '../shared/schemas.ts';
import { OUTCOMES, REPORT_NOTES, type ReportNote, SOURCES } from './report.ts';

/** Text from another program: characters that can't be stored are removed, and text that is too long is cut. */
export const toText = (received: string, maxLength: number): string =>
  received.replaceAll('\0', '').toWellFormed().slice(0, maxLength).toWellFormed();

const status = z.enum(WORKFLOW_STATUSES).nullable();

export const NewReport = z
  .object({
    event_id: text(200, 1).describe('chosen by the agent, unique for each print; sending it again is the same report'),
    printer_id: uuid()
      .optional()
      .describe("required if the agent serves a group of several printers; otherwise the agent's printer"),
    filename: text(500),
    at: timestamp()
      .transform((value) => Date.parse(value))
      .optional()
      .describe(
        "when the print ended; default: the current time. Without `sent_at`, at most 5 minutes ahead of the server's clock",
      ),
    sent_at: timestamp()
      .transform((value) => Date.parse(value))
      .optional()
      .describe(
        "the time on the sender's clock, which `at` is read from. If that clock differs from the server's by more than 5 seconds, `at` is corrected by the difference. Not part of the report's content",
      ),
    outcome: z.enum(OUTCOMES),
    grams: decimal(0, 1_000_000).optional().describe('grams that the print used, rounded to 3 decimal places'),
    order_id: uuid().optional().describe('the order the print was for'),
    filament_id: uuid().optional().describe('the filament it was printed with'),
    reason: text(500).optional(),
  })
  .meta({
    id: 'NewPrintReport',
    examples: [{ event_id: 'job-000123', filename: 'bracket.gcode', outcome: 'finished', grams: 45.5 }],
  });

const notes = Object.keys(REPORT_NOTES) as ReportNote[];

export const ReportRecord = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.report }),
    event_id: z.string().meta({ example: 'job-000123' }),
    printer_id: uuid(),
    printer_name: z.string(),
    filename: z.string(),
    outcome: z.enum(OUTCOMES),
    at: z.iso.datetime(),
    grams: z.number().nullable(),
    grams_text: z
      .string()
      .nullable()
      .describe("what was received as grams, if it isn't a plausible number")
      .meta({ example: null }),
    reason: z.string().nullable().meta({ example: null }),
    source: z.enum(SOURCES).describe('how the report was received'),
    agent_name: z.string().meta({ example: 'Agent of Prusa 1' }),
    order_id: uuid().nullable().describe('the order the print was for; null if unknown'),
    order_name: z.string().nullable().meta({ example: 'Wall bracket' }),
    filament_id: uuid().nullable(),
    filament_name: z.string().nullable().meta({ example: 'PETG black' }),
    deducted_grams: z
      .number()
      .nullable()
      .describe('grams deducted from the filament; null if none were')
      .meta({ example: 182.5 }),
    moved_to: status
      .describe("the status that the order was moved to; null if it wasn't moved")
      .meta({ example: 'done' }),
    notes: z
      .array(z.enum(notes))
      .describe(
        `why a rule was not carried out, and what is missing or doubtful: ${notes.map((note) => `\`${note}\`: ${REPORT_NOTES[note]}`).join('; ')}`,
      )
      .meta({ example: [] }),
    held_until: z.iso
      .datetime()
      .nullable()
      .describe(
        'a failure that may turn out to be a cancelled print, or a print without a file name: the time at which it is processed, unless another message about the same print arrives first',
      )
      .meta({ example: null }),
    received_at: z.iso.datetime(),
  })
  .meta({ id: 'PrintReport' });
/** A print that ended, as its agent reported it, and what was done with the report. */
export type PrintReport = z.output<typeof ReportRecord>;

export const ReportList = listOf(ReportRecord);
export const ReportQuery = z.strictObject(pageQuery);

const RefusedReportRecord = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.refusedReport }),
    printer_id: uuid().nullable().describe('null: an agent of a group sent it without naming the printer'),
    source: z.enum(SOURCES),
    agent_name: z.string().meta({ example: 'Agent of Prusa 1' }),
    event_id: z.string().nullable().meta({ example: 'job-000123' }),
    filename: z.string().nullable(),
    code: z.enum(ERROR_CODES).meta({ example: 'validation_error' }),
    reason: z.string().describe('why it was refused most recently').meta({
      example: "The end of the print is more than 5 minutes ahead of this service's clock (2026-11-22T09:30:00.000Z).",
    }),
    can_retry: z
      .boolean()
      .describe("false: it couldn't be read, is too long, or its `event_id` belongs to another report")
      .meta({ example: true }),
    received_count: z.int().describe('how often it was sent'),
    received_at: z.iso.datetime(),
    last_received_at: z.iso.datetime(),
  })
  .meta({ id: 'RefusedReport' });
/** A report that the server refused, or a message that a person has to fix. */
export type RefusedReport = z.output<typeof RefusedReportRecord>;

export const RefusedReportList = z.object({ items: z.array(RefusedReportRecord) });
export const RefusedCounts = z
  .object({ items: z.array(z.object({ printer_id: uuid(), refused: z.int() })) })
  .meta({ id: 'RefusedReportCounts' });
export const refusedParams = z.object({
  id: uuid(),
  refused_report_id: uuid().meta({ example: EXAMPLE_IDS.refusedReport }),
});

export const AgentMe = z
  .object({
    agent_id: uuid().meta({ example: EXAMPLE_IDS.agent }),
    name: z.string().meta({ example: 'Agent of Prusa 1' }),
    signed_only: z.boolean(),
    server_time: z.iso.datetime(),
    printers: z.array(z.object({ id: uuid(), name: z.string().meta({ example: 'Agent of Prusa 1' }) })),
  })
  .meta({ id: 'AgentMe' });

export const Ignored = z
  .object({
    ignored: z.string().describe('why nothing was stored').meta({
      example: 'The title “started” is not the end of a print: only complete, error and cancelled are reported.',
    }),
  })
  .meta({ id: 'IgnoredNotification' });

export const AgentRecord = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.agent }),
    name: z.string().meta({ example: 'Agent of Prusa 1' }),
    printer_id: uuid().nullable().describe('null: the agent serves a group'),
    printer_group_id: uuid().nullable().describe('null: the agent serves one printer').meta({ example: null }),
    hint: z.string().describe('the last 4 characters of its token'),
    signed_only: z.boolean().describe('reports without a signature are refused'),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Agent' });
/** A program beside the printers that reports the prints of one printer or of all printers of a group. */
export type Agent = z.output<typeof AgentRecord>;

export const NewAgent = z
  .object({
    name: nonBlank(100),
    printer_id: uuid().optional(),
    printer_group_id: uuid().optional(),
    signed_only: z.boolean().optional().describe('refuse reports without a signature; default: false'),
  })
  .meta({
    id: 'NewAgent',
    examples: [{ name: 'Agent of Prusa 1', printer_id: EXAMPLE_IDS.printer }],
    description: 'Of a printer or of a group: exactly one of the two.',
  });
export type AgentInput = z.output<typeof NewAgent>;

export const CreatedAgent = AgentRecord.extend({
  token: z.string().describe('shown only once').meta({ example: 'agt_…' }),
}).meta({ id: 'CreatedAgent' });

const rules = {
  deduct_grams: z.boolean().describe('deduct the reported grams'),
  loaded_filament_id: uuid()
    .nullable()
    .describe('from this filament, unless the report names another one')
    .meta({ example: EXAMPLE_IDS.filament }),
  on_finished: status.describe(
    'the status that the order moves to when its print has finished; null: the order stays where it is',
  ),
  on_failed: status,
  on_cancelled: status,
};

export const RulesRecord = z.object(rules).meta({ id: 'PrinterRules' });
/** What is done with the reports of a printer. */
export type PrinterRules = z.output<typeof RulesRecord>;
export const RulesPatch = z
  .object(rules)
  .partial()
  .meta({
    id: 'PrinterRulesPatch',
    examples: [{ deduct_grams: true, loaded_filament_id: EXAMPLE_IDS.filament, on_finished: 'packing' }],
  });

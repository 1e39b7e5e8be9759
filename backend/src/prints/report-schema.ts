import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { WORKFLOW_STATUSES } from '../orders/status.ts';
import { ERROR_CODES } from '../shared/errors.ts';
import { decimal, listOf, nonBlank, pageQuery, text, timestamp, uuid } from '../shared/schemas.ts';
import type { Agent } from './agent.ts';
import type { RefusedReport } from './refused-report.ts';
import { OUTCOMES, type PrintReport, REPORT_NOTES, type ReportNote, SOURCES } from './report.ts';

/** Text from another program: characters that can't be stored are removed, and text that is too long is cut. */
export const toText = (received: string, maxLength: number): string =>
  received.replaceAll('\0', '').toWellFormed().slice(0, maxLength).toWellFormed();

const status = z.enum(WORKFLOW_STATUSES).nullable();

export const NewReport = z
  .object({
    event_id: text(200, 1).describe('chosen by the agent, once for each print: the same again is the same report'),
    printer_id: uuid()
      .optional()
      .describe('needed by the agent of a group that has several printers; otherwise that of the agent'),
    filename: text(500),
    at: timestamp()
      .transform((value) => Date.parse(value))
      .optional()
      .describe(
        "when the print ended; default now. Without `sent_at` not more than 5 minutes ahead of the server's clock",
      ),
    sent_at: timestamp()
      .transform((value) => Date.parse(value))
      .optional()
      .describe(
        "the sender's clock now, by which `at` was written: if it differs from the server's by more than 5 s, the print ended as long ago as the two say. Not part of the content of the report",
      ),
    outcome: z.enum(OUTCOMES),
    grams: decimal(0, 1_000_000).optional().describe('what the print used, rounded to 3 decimals'),
    order_id: uuid().optional().describe('the order it was for'),
    filament_id: uuid().optional().describe('what it was printed with'),
    reason: text(500).optional(),
  })
  .meta({
    id: 'NewPrintReport',
    examples: [{ event_id: 'job-000123', filename: 'bracket.gcode', outcome: 'finished', grams: 45.5 }],
  });

const notes = Object.keys(REPORT_NOTES) as [ReportNote, ...ReportNote[]];

export const ReportRecord = z
  .object({
    id: uuid(),
    event_id: z.string(),
    printer_id: uuid(),
    printer_name: z.string(),
    filename: z.string(),
    outcome: z.enum(OUTCOMES),
    at: z.iso.datetime(),
    grams: z.number().nullable(),
    grams_text: z
      .string()
      .nullable()
      .describe('what was received instead of grams, if it can’t be read as a plausible number'),
    reason: z.string().nullable(),
    source: z.enum(SOURCES).describe('by which route it came'),
    agent_name: z.string(),
    order_id: uuid().nullable().describe('the order it was for, as far as that is known'),
    order_name: z.string().nullable(),
    filament_id: uuid().nullable(),
    filament_name: z.string().nullable(),
    booked_grams: z.number().nullable().describe('taken from the filament; null: nothing was'),
    moved_to: status.describe('where the order was moved to; null: it was left alone'),
    notes: z
      .array(z.enum(notes))
      .describe(
        `why a rule was not carried out, and what is missing or doubtful: ${notes.map((note) => `\`${note}\`: ${REPORT_NOTES[note]}`).join('; ')}`,
      ),
    held_until: z.iso
      .datetime()
      .nullable()
      .describe(
        'a failure that may be a cancelled print, or a print without a file name: it is told of then, unless another message about the print comes before',
      ),
    received_at: z.iso.datetime(),
  })
  .meta({ id: 'PrintReport' }) satisfies z.ZodType<PrintReport>;

export const ReportList = listOf(ReportRecord);
export const ReportQuery = z.strictObject(pageQuery);

const RefusedReportRecord = z
  .object({
    id: uuid(),
    printer_id: uuid()
      .nullable()
      .describe('null: the agent of its group sent it without saying which printer it is from'),
    source: z.enum(SOURCES),
    agent_name: z.string(),
    event_id: z.string().nullable(),
    filename: z.string().nullable(),
    code: z.enum(ERROR_CODES),
    reason: z.string().describe('why it was refused the last time'),
    can_retry: z
      .boolean()
      .describe('false: it could not be read, is too long, or its event_id belongs to another report'),
    received_count: z.int().describe('how often the same was sent'),
    received_at: z.iso.datetime(),
    last_received_at: z.iso.datetime(),
  })
  .meta({ id: 'RefusedReport' }) satisfies z.ZodType<RefusedReport>;

export const RefusedReportList = z.object({ items: z.array(RefusedReportRecord) });
export const RefusedCounts = z
  .object({ items: z.array(z.object({ printer_id: uuid(), refused: z.int() })) })
  .meta({ id: 'RefusedReportCounts' });
export const refusedParams = z.object({ id: uuid(), refused_report_id: uuid() });

export const AgentMe = z
  .object({
    agent_id: uuid(),
    name: z.string(),
    signed_only: z.boolean(),
    server_time: z.iso.datetime(),
    printers: z.array(z.object({ id: uuid(), name: z.string() })),
  })
  .meta({ id: 'AgentMe' });

export const Ignored = z
  .object({ ignored: z.string().describe('why nothing was stored') })
  .meta({ id: 'IgnoredNotice' });

export const AgentRecord = z
  .object({
    id: uuid(),
    name: z.string(),
    printer_id: uuid().nullable().describe('null: it is of a group'),
    printer_group_id: uuid().nullable().describe('null: it is of a printer'),
    hint: z.string().describe('the last four characters of its token'),
    signed_only: z.boolean().describe('reports without a signature are refused'),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Agent' }) satisfies z.ZodType<Agent>;

export const NewAgent = z
  .object({
    name: nonBlank(100),
    printer_id: uuid().optional(),
    printer_group_id: uuid().optional(),
    signed_only: z.boolean().optional().describe('refuse reports without a signature; default false'),
  })
  .meta({
    id: 'NewAgent',
    examples: [{ name: 'Agent of Prusa 1', printer_id: EXAMPLE_IDS.printer }],
    description: 'Of a printer or of a group: exactly one of the two.',
  });

export const CreatedAgent = AgentRecord.extend({ token: z.string().describe('shown only once') }).meta({
  id: 'CreatedAgent',
});

const rules = {
  book_grams: z.boolean().describe('book reported grams'),
  loaded_filament_id: uuid().nullable().describe('on this filament, unless the report names one'),
  on_finished: status.describe('where the order of a finished print goes; null: it is left alone'),
  on_failed: status,
  on_cancelled: status,
};

export const RulesRecord = z.object(rules).meta({ id: 'PrinterRules' });
export const RulesPatch = z
  .object(rules)
  .partial()
  .meta({
    id: 'PrinterRulesPatch',
    examples: [{ book_grams: true, loaded_filament_id: EXAMPLE_IDS.filament, on_finished: 'packing' }],
  });

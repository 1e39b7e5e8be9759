import { parseBody } from '../../http/validation.ts';
import type { Source } from '../report.ts';
import { NewReport } from '../report-schema.ts';
import type { ReportedPrint } from '../reported-print.ts';
import { parseReport } from './agent-report.ts';
import { AppriseNotification, parseApprise } from './apprise.ts';
import type { IgnoredNotification } from './ignored-notification.ts';
import { OctoPrintNotification, parseOctoPrint } from './octoprint.ts';

/** What a message is about: a print that ended, or why there is nothing to store. */
export type Parsed = ReportedPrint | IgnoredNotification;

const PARSERS: Record<Source, (body: unknown) => Parsed> = {
  report: (body) => parseReport(parseBody(NewReport, body)),
  octoprint: (body) => parseOctoPrint(parseBody(OctoPrintNotification, body)),
  apprise: (body) => parseApprise(parseBody(AppriseNotification, body)),
};

/** Reads a body that was received earlier, as its route did. @throws DomainError validation_error */
export const parseStoredBody = (source: Source, body: unknown): Parsed => PARSERS[source](body);

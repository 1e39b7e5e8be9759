import { z } from 'zod';
import type { SentForm } from '../http/form.ts';
import { isVisible } from '../shared/names.ts';
import { type FileKind, fileKindOf } from './file-kind.ts';
import { MAX_TEXT } from './lead.ts';
import type { LeadText } from './lead-schema.ts';
import type { FormFault, FormField } from './profile/messages.ts';

const FIELDS = Object.keys(MAX_TEXT) as (keyof LeadText)[];

const email = z.email();

/** Removes NUL and lone surrogates, which can't be stored, and normalizes line ends. */
const tidy = (text: string | undefined): string =>
  (text ?? '').toWellFormed().replaceAll('\0', '').replace(/\r\n?/g, '\n').trim();

const textOf = ({ fields }: Pick<SentForm, 'fields'>): LeadText =>
  Object.fromEntries(FIELDS.map((field) => [field, tidy(fields.get(field))])) as unknown as LeadText;

export interface CheckedForm {
  text: LeadText;
  file: { name: string; kind: FileKind; content: Buffer } | undefined;
  faults: [FormField, FormFault][];
}

/** Validates a form. Returns the first fault of each field. */
export function checkForm(form: SentForm): CheckedForm {
  const text = textOf(form);
  const faults = new Map<FormField, FormFault>();
  const fault = (field: FormField, what: FormFault) => {
    if (!faults.has(field)) faults.set(field, what);
  };
  if (!isVisible(text.description)) fault('description', 'required');
  if (text.client_email === '') fault('client_email', 'required');
  else if (!email.safeParse(text.client_email).success) fault('client_email', 'no_email');
  if (form.isTextTooLong) fault('description', 'too_long');
  for (const field of FIELDS) if (text[field].length > MAX_TEXT[field]) fault(field, 'too_long');
  let file: CheckedForm['file'];
  if (form.file) {
    const { name, content } = form.file;
    const kind = content && fileKindOf(content);
    if (!content) fault('file', 'file_too_large');
    else if (!kind) fault('file', 'file_kind');
    else file = { name, kind, content };
  }
  return { text, file, faults: [...faults] };
}

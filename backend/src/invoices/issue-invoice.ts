import { type Clock, DAY_MS } from '../../../common/src/clock.ts';
import { createToken, type SecretBox, sha256 } from '../../../common/src/crypto.ts';
import { invalid } from '../shared/errors.ts';
import { isVisible } from '../shared/names.ts';
import type { Tx } from '../storage/transaction.ts';
import { checkLetters } from './check-letters.ts';
import { freeze } from './document.ts';
import { checkedTotal } from './draft.ts';
import { type Line, refused } from './invoice.ts';
import { listLines } from './invoice-line-store.ts';
import type { Invoice, Seller } from './invoice-schema.ts';
import * as store from './invoice-store.ts';
import { PAY_TOKEN_PREFIX } from './payments/payment.ts';

interface Issuing {
  issueDate: string;
  seller: Seller;
  /** the characters that PDFs can show; undefined: not checked */
  characters: ReadonlySet<number> | undefined;
  /** called last, so that no number is lost */
  assignNumber(year: number): Promise<Pick<store.Issue, 'number' | 'year' | 'place'>>;
}

/** Freezes the content of a locked draft and numbers it. @throws DomainError invoice_state, validation_error */
export async function issueInvoice(
  { clock, secretBox }: { clock: Clock; secretBox: SecretBox },
  tx: Tx,
  { invoice, ...draft }: store.StoredInvoice,
  { issueDate, seller, characters, assignNumber }: Issuing,
): Promise<void> {
  const { id } = invoice;
  if (draft.paymentState.state !== 'draft') throw refused(`This invoice has already been issued as ${invoice.number}.`);
  const at = clock();
  checkDates(issueDate, invoice.due_date, at);
  const lines = await listLines(tx.db, id);
  checkContent(invoice, lines);
  if (!isVisible(seller.name)) {
    throw refused('Add your business details first.');
  }

  const content = {
    dueDate: invoice.due_date,
    language: draft.language,
    seller,
    customerName: invoice.customer_name,
    customerDetails: draft.customerDetails,
    currency: invoice.currency,
    lines,
    note: draft.note,
  };
  if (characters) checkLetters(content, characters);

  const numbered = await assignNumber(Number(issueDate.slice(0, 4)));
  const { text, hash } = freeze({ id, number: numbered.number, issueDate, ...content });
  const token = createToken(PAY_TOKEN_PREFIX);
  await store.issueInvoice(tx.db, id, {
    ...numbered,
    issueDate,
    document: text,
    documentSha256: hash,
    payHash: sha256(token),
    encryptedPayToken: secretBox.encrypt(token, store.payContext(id)),
    at,
  });
}

/** @throws DomainError validation_error */
function checkDates(issueDate: string, dueDate: string | null, now: number): void {
  // it must be that day in some time zone
  if (Math.abs(Date.parse(issueDate) + DAY_MS / 2 - now) > 1.5 * DAY_MS) {
    throw invalid('/issue_date', 'The issue date must be today.');
  }
  if (dueDate !== null && dueDate < issueDate) {
    throw invalid('/due_date', 'The due date is in the past. Change it first.');
  }
}

/** Checks that a draft is complete enough to be issued. @throws DomainError validation_error */
function checkContent({ customer_name }: Pick<Invoice, 'customer_name'>, lines: readonly Line[]): void {
  if (lines.length === 0) throw invalid('/lines', 'Add at least one line item.');
  if (checkedTotal(lines) < 1) throw invalid('/lines', 'The invoice total must be more than zero.');
  if (!isVisible(customer_name)) throw invalid('/customer_name', 'Enter a customer.');
}

import type { Actor } from '../accounts/token.ts';
import type { IdempotencyRequest, IdempotentResult } from '../idempotency/with-idempotency.ts';
import { DAY_MS, toDay } from '../shared/clock.ts';
import { createToken, sha256 } from '../shared/crypto.ts';
import { invalid } from '../shared/errors.ts';
import { isVisible } from '../shared/names.ts';
import type { Tx } from '../storage/transaction.ts';
import { checkLetters } from './check-letters.ts';
import { freeze, type Seller } from './document.ts';
import { checkedTotal } from './draft.ts';
import { type Invoice, type InvoiceDetail, type Line, toNumber, toSampleNumber } from './invoice.ts';
import { changeOnce, type InvoiceDeps, lockForChange, readDetail, refused, sellerOf } from './invoice-deps.ts';
import { listLines } from './invoice-line-store.ts';
import * as store from './invoice-store.ts';
import { PAY_TOKEN_PREFIX } from './payments/payment.ts';

/**
 * Assigns the next number and freezes the content of an invoice.
 * @param issue_date today's date in the owner's time zone, `YYYY-MM-DD`, which determines the year of the number;
 * default today in UTC
 * @throws DomainError not_found, invoice_state, validation_error, idempotency_conflict
 */
export async function issueInvoice(
  deps: InvoiceDeps,
  { accountId }: Actor,
  id: string,
  { issue_date }: { issue_date?: string | undefined },
  idempotency: IdempotencyRequest | undefined,
): Promise<IdempotentResult<InvoiceDetail>> {
  const characters = await deps.findCharacters();
  return changeOnce(deps, accountId, idempotency, async (tx) =>
    issue(deps, tx, accountId, id, {
      issueDate: issue_date ?? toDay(deps.clock()),
      seller: await sellerOf(deps, tx.db, accountId),
      characters,
      async assignNumber(year) {
        const place = await store.assignNumber(tx.db, accountId, year);
        return { number: toNumber(year, place), year, place };
      },
    }),
  );
}

/** Issues a sample invoice, whose number is of a series of its own and not counted. */
export const issueSample = (deps: InvoiceDeps, tx: Tx, accountId: string, id: string, seller: Seller) =>
  issue(deps, tx, accountId, id, {
    issueDate: toDay(deps.clock()),
    seller,
    // its texts are ours
    characters: undefined,
    assignNumber: async () => ({
      number: toSampleNumber((await store.findLastSample(tx.db, accountId)) + 1),
      year: null,
      place: null,
    }),
  });

interface Issuing {
  issueDate: string;
  seller: Seller;
  /** the characters that PDFs can show; undefined: not checked */
  characters: ReadonlySet<number> | undefined;
  /** called last, so that no number is lost */
  assignNumber(year: number): Promise<Pick<store.Issue, 'number' | 'year' | 'place'>>;
}

async function issue(
  deps: InvoiceDeps,
  tx: Tx,
  accountId: string,
  id: string,
  { issueDate, seller, characters, assignNumber }: Issuing,
): Promise<InvoiceDetail> {
  const { invoice, ...draft } = await lockForChange(tx, accountId, id);
  if (draft.paymentState.state !== 'draft') throw refused(`This invoice has already been issued as ${invoice.number}.`);
  const at = deps.clock();
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
    encryptedPayToken: deps.secretBox.encrypt(token, store.payContext(id)),
    at,
  });
  return readDetail(deps, tx, accountId, id);
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

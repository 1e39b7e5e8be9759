import { type InvoiceDocument, LABELS } from './document.ts';
import { sayAmount, sayDay } from './money.ts';

/** Renders an issued invoice in its own language. The same document always results in the same markup. */
export function DocumentView({ document, heading: Heading }: { document: InvoiceDocument; heading: 'h1' | 'h2' }) {
  const { seller, customer, language, currency, digits, due_date, note } = document;
  const labels = LABELS[language];
  const Part = Heading === 'h1' ? 'h2' : 'h3';
  const say = (minor: number) => sayAmount(minor, currency, language, digits);
  const payment = [seller.bank_details, seller.payment_note].filter((text) => text.trim() !== '');
  return (
    <article className="panel" lang={language}>
      <Heading>{labels.number(document.number)}</Heading>
      <p className="soft">
        {labels.issued}: {sayDay(document.issue_date, language)}
        {due_date !== null && (
          <>
            <br />
            {labels.due}: {sayDay(due_date, language)}
          </>
        )}
      </p>
      <div className="beside">
        <div>
          <span className="soft">{labels.from}</span>
          <br />
          <strong>{seller.name}</strong>
          <p className="text">
            {[seller.address, seller.tax_id && `${labels.taxId}: ${seller.tax_id}`].filter(Boolean).join('\n')}
          </p>
        </div>
        <div>
          <span className="soft">{labels.to}</span>
          <br />
          <strong>{customer.name}</strong>
          <p className="text">{customer.details}</p>
        </div>
      </div>
      <table className="lines">
        <thead>
          <tr>
            <th scope="col">{labels.description}</th>
            <th scope="col" className="number">
              {labels.quantity}
            </th>
            <th scope="col" className="number">
              {labels.unitPrice}
            </th>
            <th scope="col" className="number">
              {labels.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {document.lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rendered once, never updated
            <tr key={index}>
              <td className="text">{line.description}</td>
              <td className="number">{line.quantity}</td>
              <td className="number">{say(line.unit_price)}</td>
              <td className="number">{say(line.amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              {labels.total}
            </th>
            <td className="number">
              <strong>{say(document.total)}</strong>
            </td>
          </tr>
        </tfoot>
      </table>
      {payment.length > 0 && (
        <>
          <Part>{labels.payment}</Part>
          {payment.map((text) => (
            <p key={text} className="text">
              {text}
            </p>
          ))}
        </>
      )}
      {note.trim() !== '' && (
        <>
          <Part>{labels.note}</Part>
          <p className="text">{note}</p>
        </>
      )}
    </article>
  );
}

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import PdfDocument from 'pdfkit';
import { type InvoiceDocument, LABELS } from './document.ts';
import { sayAmount, sayDay } from './money.ts';

type Pdf = PDFKit.PDFDocument;

const MARGIN = 50;
const PADDING = 5;
const GREY = '#55606b';
const LINE = '#c4cbd3';
/** Address blocks taller than this are placed below each other: side by side, one could run over the page. */
const MAX_SIDE_BY_SIDE = 260;

/** Not Helvetica, which PDF readers include but which has no Cyrillic letters. */
function fontFile(name: string): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve('dejavu-fonts-ttf/package.json')), 'ttf', name);
}

/** Removes control characters other than line ends, which a font can't display. */
const shown = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n]/gu, ' ');

/** Renders a document as a PDF with A4 pages. The same document always results in the same bytes. */
export async function toPdf(document: InvoiceDocument): Promise<Buffer> {
  const labels = LABELS[document.language];
  const pdf = new PdfDocument({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    lang: document.language,
    info: {
      Title: labels.number(document.number),
      Author: shown(document.seller.name),
      Creator: 'Farmboard',
      Producer: 'Farmboard',
      // the current time would make every copy different
      CreationDate: new Date(`${document.issue_date}T00:00:00Z`),
    },
  });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on('end', resolve);
    pdf.on('error', reject);
  });
  pdf.registerFont('text', fontFile('DejaVuSans.ttf')).registerFont('strong', fontFile('DejaVuSans-Bold.ttf'));
  draw(pdf, document);
  pdf.end();
  await ended;
  return Buffer.concat(chunks);
}

function draw(pdf: Pdf, document: InvoiceDocument): void {
  const { seller, customer, language, due_date } = document;
  const labels = LABELS[language];
  const width = pdf.page.width - 2 * MARGIN;

  pdf.font('strong').fontSize(18).text(labels.number(document.number), MARGIN, MARGIN, { width });
  pdf.font('text').fontSize(9).fillColor(GREY);
  pdf.text(`${labels.issued}: ${sayDay(document.issue_date, language)}`, { width });
  if (due_date !== null) pdf.text(`${labels.due}: ${sayDay(due_date, language)}`, { width });
  pdf.moveDown(1.2);

  drawParties(pdf, width, [
    {
      title: labels.from,
      name: seller.name,
      details: [seller.address, seller.tax_id && `${labels.taxId}: ${seller.tax_id}`].filter(Boolean).join('\n'),
    },
    { title: labels.to, name: customer.name, details: customer.details },
  ]);
  drawLines(pdf, width, document);
  for (const [title, text] of [
    [labels.payment, [seller.bank_details, seller.payment_note].filter(Boolean).join('\n\n')],
    [labels.note, document.note],
  ] as const) {
    if (text.trim() === '') continue;
    pdf.moveDown(1.2).font('strong').fontSize(10).fillColor('black').text(title, MARGIN, pdf.y, { width });
    pdf.moveDown(0.3).font('text').fontSize(9).text(shown(text), { width });
  }
  drawPageNumbers(pdf, width, labels.page);
}

interface Party {
  title: string;
  name: string;
  details: string;
}

function drawParties(pdf: Pdf, width: number, parties: Party[]): void {
  const column = (width - 20) / 2;
  const heightOf = ({ name, details }: Party) =>
    pdf.font('strong').fontSize(10).heightOfString(shown(name), { width: column }) +
    pdf.font('text').fontSize(9).heightOfString(shown(details), { width: column });
  const isBeside = parties.every((party) => heightOf(party) < MAX_SIDE_BY_SIDE);
  const top = pdf.y;
  let bottom = top;
  for (const [index, { title, name, details }] of parties.entries()) {
    const x = isBeside ? MARGIN + index * (column + 20) : MARGIN;
    const options = { width: isBeside ? column : width };
    pdf
      .font('text')
      .fontSize(8)
      .fillColor(GREY)
      .text(title, x, isBeside ? top : bottom, options);
    pdf.font('strong').fontSize(10).fillColor('black').text(shown(name), options);
    if (details.trim() !== '') pdf.font('text').fontSize(9).text(shown(details), options);
    bottom = isBeside ? Math.max(bottom, pdf.y) : pdf.y + 10;
  }
  pdf.x = MARGIN;
  pdf.y = bottom + 20;
}

function drawLines(pdf: Pdf, width: number, document: InvoiceDocument): void {
  const { language, currency, digits } = document;
  const labels = LABELS[language];
  const columns = [
    { title: labels.description, width: width - 60 - 110 - 120, align: 'left' },
    { title: labels.quantity, width: 60, align: 'right' },
    { title: labels.unitPrice, width: 110, align: 'right' },
    { title: labels.amount, width: 120, align: 'right' },
  ] as const;
  const bottom = pdf.page.height - MARGIN - 20;

  function drawRow(cells: readonly string[], font: 'text' | 'strong', size = 9): void {
    pdf.font(font).fontSize(size).fillColor('black');
    const texts = cells.map(shown);
    const heights = texts.map((text, i) =>
      pdf.heightOfString(text, { width: (columns[i]?.width ?? 0) - 2 * PADDING, align: columns[i]?.align }),
    );
    const height = Math.max(...heights) + 2 * PADDING;
    if (pdf.y + height > bottom) pdf.addPage();
    const top = pdf.y;
    let x = MARGIN;
    for (const [index, text] of texts.entries()) {
      const column = columns[index] ?? columns[0];
      pdf.text(text, x + PADDING, top + PADDING, { width: column.width - 2 * PADDING, align: column.align });
      x += column.width;
    }
    pdf.x = MARGIN;
    pdf.y = top + height;
    pdf
      .moveTo(MARGIN, pdf.y)
      .lineTo(MARGIN + width, pdf.y)
      .lineWidth(0.5)
      .strokeColor(LINE)
      .stroke();
  }

  const say = (minor: number) => sayAmount(minor, currency, language, digits);
  drawRow(
    columns.map(({ title }) => title),
    'strong',
  );
  for (const line of document.lines) {
    drawRow([line.description, String(line.quantity), say(line.unit_price), say(line.amount)], 'text');
  }
  drawRow([labels.total, '', '', say(document.total)], 'strong', 10);
}

function drawPageNumbers(pdf: Pdf, width: number, say: (page: number, pages: number) => string): void {
  const { count } = pdf.bufferedPageRange();
  if (count === 1) return;
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page);
    // below the margin, where text would start a new page
    pdf.page.margins.bottom = 0;
    pdf.font('text').fontSize(8).fillColor(GREY);
    pdf.text(say(page + 1, count), MARGIN, pdf.page.height - MARGIN + 10, { width, align: 'right', lineBreak: false });
  }
}

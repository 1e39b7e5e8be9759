import PdfDocument from 'pdfkit';
import { type InvoiceDocument, LABELS, type PdfInput } from './document.ts';
import { toShown } from './letters.ts';
import { sayAmount, sayDay } from './money.ts';
import { openFonts, type Weight } from './pdf-fonts.ts';
import { createPdfText, type PdfText } from './pdf-text.ts';

type Pdf = PDFKit.PDFDocument;

const MARGIN = 50;
const PADDING = 5;
const GREY = '#55606b';
const LINE = '#c4cbd3';
/** Address blocks taller than this are placed below each other: side by side, one could run over the page. */
const MAX_SIDE_BY_SIDE = 260;

/** Renders a document as a PDF with A4 pages. The same document always results in the same bytes. */
export async function toPdf({ document, fontFiles }: PdfInput): Promise<Buffer> {
  const labels = LABELS[document.language];
  const pdf = new PdfDocument({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    lang: document.language,
    info: {
      Title: labels.number(document.number),
      Author: toShown(document.seller.name),
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
  draw(pdf, createPdfText(pdf, openFonts(fontFiles)), document);
  pdf.end();
  await ended;
  return Buffer.concat(chunks);
}

function draw(pdf: Pdf, text: PdfText, document: InvoiceDocument): void {
  const { seller, customer, language, due_date } = document;
  const labels = LABELS[language];
  const width = pdf.page.width - 2 * MARGIN;

  text.style('strong', 18);
  text.write(labels.number(document.number), { x: MARGIN, y: MARGIN, width });
  text.style('text', 9).fillColor(GREY);
  text.write(`${labels.issued}: ${sayDay(document.issue_date, language)}`, { width });
  if (due_date !== null) text.write(`${labels.due}: ${sayDay(due_date, language)}`, { width });
  pdf.moveDown(1.2);

  drawParties(pdf, text, width, [
    {
      title: labels.from,
      name: seller.name,
      details: [seller.address, seller.tax_id && `${labels.taxId}: ${seller.tax_id}`].filter(Boolean).join('\n'),
    },
    { title: labels.to, name: customer.name, details: customer.details },
  ]);
  drawLines(pdf, text, width, document);
  for (const [title, block] of [
    [labels.payment, [seller.bank_details, seller.payment_note].filter(Boolean).join('\n\n')],
    [labels.note, document.note],
  ] as const) {
    if (block.trim() === '') continue;
    pdf.moveDown(1.2);
    text.style('strong', 10).fillColor('black');
    text.write(title, { x: MARGIN, width });
    pdf.moveDown(0.3);
    text.style('text', 9);
    text.write(block, { width });
  }
  drawPageNumbers(pdf, text, width, labels.page);
}

interface Party {
  title: string;
  name: string;
  details: string;
}

function drawParties(pdf: Pdf, text: PdfText, width: number, parties: Party[]): void {
  const column = (width - 20) / 2;
  function heightOf({ name, details }: Party): number {
    text.style('strong', 10);
    const height = text.heightOf(name, { width: column });
    text.style('text', 9);
    return height + text.heightOf(details, { width: column });
  }
  const isBeside = parties.every((party) => heightOf(party) < MAX_SIDE_BY_SIDE);
  const top = pdf.y;
  let bottom = top;
  for (const [index, { title, name, details }] of parties.entries()) {
    const x = isBeside ? MARGIN + index * (column + 20) : MARGIN;
    const place = { width: isBeside ? column : width };
    text.style('text', 8).fillColor(GREY);
    text.write(title, { x, y: isBeside ? top : bottom, ...place });
    text.style('strong', 10).fillColor('black');
    text.write(name, place);
    text.style('text', 9);
    if (details.trim() !== '') text.write(details, place);
    bottom = isBeside ? Math.max(bottom, pdf.y) : pdf.y + 10;
  }
  pdf.x = MARGIN;
  pdf.y = bottom + 20;
}

function drawLines(pdf: Pdf, text: PdfText, width: number, document: InvoiceDocument): void {
  const { language, currency, digits } = document;
  const labels = LABELS[language];
  const columns = [
    { title: labels.description, width: width - 60 - 110 - 120, align: 'left' },
    { title: labels.quantity, width: 60, align: 'right' },
    { title: labels.unitPrice, width: 110, align: 'right' },
    { title: labels.amount, width: 120, align: 'right' },
  ] as const;
  const bottom = pdf.page.height - MARGIN - 20;

  function drawRow(cells: readonly string[], weight: Weight, size = 9): void {
    text.style(weight, size).fillColor('black');
    const heights = columns.map(({ width, align }, index) =>
      text.heightOf(cells[index] ?? '', { width: width - 2 * PADDING, align }),
    );
    const height = Math.max(...heights) + 2 * PADDING;
    if (pdf.y + height > bottom) pdf.addPage();
    const top = pdf.y;
    let x = MARGIN;
    for (const [index, { width, align }] of columns.entries()) {
      text.write(cells[index] ?? '', { x: x + PADDING, y: top + PADDING, width: width - 2 * PADDING, align });
      x += width;
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

function drawPageNumbers(pdf: Pdf, text: PdfText, width: number, say: (page: number, pages: number) => string): void {
  const { count } = pdf.bufferedPageRange();
  if (count === 1) return;
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page);
    // below the margin, where text would start a new page
    pdf.page.margins.bottom = 0;
    text.style('text', 8).fillColor(GREY);
    pdf.text(say(page + 1, count), MARGIN, pdf.page.height - MARGIN + 10, { width, align: 'right', lineBreak: false });
  }
}

import { count } from '../words';
import type { SizeName } from './sizes';

const sizeEn: Record<SizeName, string> = { '62x29': '62 × 29 mm', '50x30': '50 × 30 mm', a4: 'A4, 3 × 8' };
const sizeRu: typeof sizeEn = { '62x29': '62 × 29 мм', '50x30': '50 × 30 мм', a4: 'A4, 3 × 8' };

const en = {
  title: 'Labels',
  label: 'Label',
  of: (model: string) => `Label of ${model}`,
  page: (n: number) => `Sheet ${n}`,
  due: (day: string) => `Due ${day}`,
  size: 'Size of the label',
  sizes: sizeEn,
  first: 'First free place on the sheet',
  print: 'Print',
  files: (n: number) => (n === 1 ? '' : ` (${n} files)`),
  svg: 'Download SVG',
  png: 'Download PNG',
  count: (n: number) => (n === 1 ? '1 label' : `${n} labels`),
  hint: 'In the print dialog: this very paper, no margins, scale 100 %.',
  hintA4: 'For sheets of 24 labels of 70 × 37 mm. In the print dialog: A4, no margins, scale 100 %.',
  gone: (n: number) =>
    n === 1
      ? 'One order is not there any more: it has no label.'
      : `${n} orders are not there any more: they have no label.`,
  most: (n: number) => `At most ${n} labels at once: the first ${n} are shown.`,
  empty: 'No orders chosen',
  emptyLead:
    'A label carries the QR code ORDER-<id>: scanned in the console it opens the order, and an automation finds the order by it. Tick orders in the list and choose “Print labels”, or print a single label in the order itself.',
  toOrders: 'To the list of orders',
  more: 'Other sizes and preview',
};

const ru: typeof en = {
  title: 'Этикетки',
  label: 'Этикетка',
  of: (model) => `Этикетка: ${model}`,
  page: (n) => `Лист ${n}`,
  due: (day) => `Срок ${day}`,
  size: 'Размер этикетки',
  sizes: sizeRu,
  first: 'Первое свободное место на листе',
  print: 'Печать',
  files: (n) => (n === 1 ? '' : ` (${count(n, 'файл', 'файла', 'файлов')})`),
  svg: 'Скачать SVG',
  png: 'Скачать PNG',
  count: (n) => count(n, 'этикетка', 'этикетки', 'этикеток'),
  hint: 'В окне печати выберите бумагу этого размера, без полей, масштаб 100 %.',
  hintA4: 'Для листов по 24 этикетки 70 × 37 мм. В окне печати выберите A4, без полей, масштаб 100 %.',
  gone: (n) => `Без этикетки: ${count(n, 'заказа', 'заказов', 'заказов')} больше нет.`,
  most: (n) => `Не больше ${n} этикеток за раз: показаны первые ${n}.`,
  empty: 'Заказы не выбраны',
  emptyLead:
    'На этикетке — QR-код ORDER-<id>: консоль открывает по нему заказ, и автоматика находит заказ по нему же. Отметьте заказы в списке и нажмите «Печать этикеток» или напечатайте одну этикетку в самом заказе.',
  toOrders: 'К списку заказов',
  more: 'Другие размеры и просмотр',
};

export const WORDS = { en, ru };

import { count } from '../i18n/messages';
import type { SizeName } from './sizes';

const sizeEn: Record<SizeName, string> = { '62x29': '62 × 29 mm', '50x30': '50 × 30 mm', a4: 'A4, 3 × 8' };
const sizeRu: typeof sizeEn = { '62x29': '62 × 29 мм', '50x30': '50 × 30 мм', a4: 'A4, 3 × 8' };

const en = {
  title: 'Labels',
  label: 'Label',
  of: (model: string) => `Label for ${model}`,
  page: (n: number) => `Sheet ${n}`,
  due: (day: string) => `Due ${day}`,
  size: 'Label size',
  sizes: sizeEn,
  first: 'Start at position',
  print: 'Print',
  files: (n: number) => (n === 1 ? '' : ` (${n} files)`),
  svg: 'Download SVG',
  png: 'Download PNG',
  count: (n: number) => (n === 1 ? '1 label' : `${n} labels`),
  hint: 'In the print dialog, choose this paper size, no margins and 100% scale.',
  hintA4: 'For sheets with 24 labels, 70 × 37 mm each. In the print dialog, choose A4, no margins and 100% scale.',
  missingIds: (n: number) =>
    n === 1 ? '1 order no longer exists, so it has no label.' : `${n} orders no longer exist, so they have no labels.`,
  max: (n: number) => `You can print up to ${n} labels at once. Showing the first ${n}.`,
  empty: 'No orders selected',
  emptyLead:
    'Each label carries the QR code ORDER-<id>. Scan it in the console to open the order; integrations can look up the order with it, too. Select orders in the list and choose “Print labels”, or print a single label from the order itself.',
  toOrders: 'Go to orders',
  more: 'More sizes and preview',
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
  missingIds: (n) => `Без этикетки: ${count(n, 'заказа', 'заказов', 'заказов')} больше нет.`,
  max: (n) => `Не больше ${n} этикеток за раз: показаны первые ${n}.`,
  empty: 'Заказы не выбраны',
  emptyLead:
    'На этикетке — QR-код ORDER-<id>: консоль открывает по нему заказ, и интеграции находят заказ по нему же. Отметьте заказы в списке и нажмите «Печать этикеток» или напечатайте одну этикетку в самом заказе.',
  toOrders: 'К списку заказов',
  more: 'Другие размеры и просмотр',
};

export const MESSAGES = { en, ru };

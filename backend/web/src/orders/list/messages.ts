import { count } from '../../i18n/messages';
import type { DueFilter } from './list-url';

const dueEn: Record<DueFilter, string> = { overdue: 'Overdue', today: 'Due today', week: 'Due in the next 7 days' };
const dueRu: typeof dueEn = { overdue: 'Просроченные', today: 'Срок сегодня', week: 'Срок в ближайшие 7 дней' };

const orders = (n: number) => (n === 1 ? '1 order' : `${n} orders`);

const en = {
  due: dueEn,
  status: 'Status',
  anyStatus: 'Any status',
  dueLabel: 'Due date',
  anyDue: 'Any due date',
  columns: 'Columns',
  sortBy: 'Sort by',
  ascending: 'Ascending',
  descending: 'Descending',
  table: 'Orders',
  how: 'Use the arrow keys to move between orders, Space to select one, Shift with an arrow key to select several, Ctrl+A to select all, and Enter to open.',
  choose: (model: string) => `Select ${model}`,
  chooseAll: 'Select all shown',
  chosen: (n: number) => `${n} selected`,
  clear: 'Clear selection',
  moveTo: 'Move to…',
  labels: 'Print labels',
  tooManyLabels: (n: number) => `You can print up to ${n} labels at once`,
  export: 'Export CSV',
  exportChosen: 'Export selected',
  import: 'Import CSV',
  moving: 'Moving orders',
  progress: (done: number, total: number) => `${done} of ${total}`,
  moved: (n: number) => `${orders(n)} moved`,
  movedBack: (n: number) => `${orders(n)} moved back`,
  notMoved: (n: number) => `Couldn’t move ${orders(n)}`,
  allThere: 'These orders already have that status.',
  changedSince: 'someone else has changed it since',
  andMore: (n: number) => `and ${n} more`,
  undo: 'Undo',
  empty: 'No orders yet',
  emptyLead:
    'Every order appears here as a row. Import orders from another program as a CSV file, create one on the board, or create orders through the API.',
};

export type ListMessages = typeof en;

const orderRu = (n: number) => count(n, 'заказ', 'заказа', 'заказов');

const ru: ListMessages = {
  due: dueRu,
  status: 'Статус',
  anyStatus: 'Любой статус',
  dueLabel: 'Срок',
  anyDue: 'Любой срок',
  columns: 'Колонки',
  sortBy: 'Сортировать',
  ascending: 'По возрастанию',
  descending: 'По убыванию',
  table: 'Заказы',
  how: 'Стрелки — от заказа к заказу, пробел отмечает, Shift со стрелкой отмечает несколько, Ctrl+A — все, Enter открывает.',
  choose: (model) => `Отметить: ${model}`,
  chooseAll: 'Отметить все показанные',
  chosen: (n) => `Отмечено: ${n}`,
  clear: 'Снять отметки',
  moveTo: 'Переместить в…',
  labels: 'Печать этикеток',
  tooManyLabels: (n) => `Не больше ${n} этикеток за раз`,
  export: 'Экспорт CSV',
  exportChosen: 'Экспорт отмеченных в CSV',
  import: 'Импорт CSV',
  moving: 'Перемещение заказов',
  progress: (done, total) => `${done} из ${total}`,
  moved: (n) => `Перемещено: ${orderRu(n)}`,
  movedBack: (n) => `Возвращено: ${orderRu(n)}`,
  notMoved: (n) => `Не перемещено: ${orderRu(n)}`,
  allThere: 'Все они уже там.',
  changedSince: 'с тех пор его изменил кто-то ещё',
  andMore: (n) => `и ещё ${n}`,
  undo: 'Отменить',
  empty: 'Заказов пока нет',
  emptyLead:
    'Каждый заказ фермы — строка этой таблицы. Перенесите заказы из другой программы файлом CSV, создайте заказ на доске или через API.',
};

export const MESSAGES = { en, ru };

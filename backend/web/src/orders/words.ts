import { count } from '../words';
import type { DueFilter } from './list-address';

const dueEn: Record<DueFilter, string> = { overdue: 'Overdue', today: 'Due today', week: 'Due within 7 days' };
const dueRu: typeof dueEn = { overdue: 'Просроченные', today: 'Срок сегодня', week: 'Срок в ближайшие 7 дней' };

const orders = (n: number) => (n === 1 ? '1 order' : `${n} orders`);

const en = {
  due: dueEn,
  status: 'Status',
  anyStatus: 'Any status',
  dueLabel: 'Due',
  anyDue: 'Any due date',
  columns: 'Columns',
  sortBy: 'Sort by',
  ascending: 'Ascending',
  descending: 'Descending',
  created: 'Created',
  updated: 'Changed',
  id: 'Id',
  table: 'Orders',
  how: 'Arrow keys go from order to order, Space ticks, Shift with an arrow ticks several, Ctrl+A all, Enter opens.',
  choose: (model: string) => `Tick ${model}`,
  chooseAll: 'Tick all that are shown',
  chosen: (n: number) => `${n} ticked`,
  clear: 'Clear',
  moveTo: 'Move to…',
  labels: 'Print labels',
  tooManyLabels: (n: number) => `At most ${n} labels at once`,
  export: 'Export CSV',
  exportChosen: 'Export CSV of the ticked',
  import: 'Import CSV',
  moving: 'Moving orders',
  progress: (done: number, total: number) => `${done} of ${total}`,
  moved: (n: number) => `${orders(n)} moved`,
  movedBack: (n: number) => `${orders(n)} moved back`,
  notMoved: (n: number) => (n === 1 ? '1 order was not moved' : `${n} orders were not moved`),
  allThere: 'All of them are there already.',
  changedSince: 'it was changed since by somebody else',
  andMore: (n: number) => `and ${n} more`,
  undo: 'Undo',
  empty: 'There are no orders yet',
  emptyLead:
    'Every order of the farm is a row here. Bring the orders of another program as a CSV file, make one by hand on the board, or let your automation do it.',
};

export type ListWords = typeof en;

const orderRu = (n: number) => count(n, 'заказ', 'заказа', 'заказов');

const ru: ListWords = {
  due: dueRu,
  status: 'Статус',
  anyStatus: 'Любой статус',
  dueLabel: 'Срок',
  anyDue: 'Любой срок',
  columns: 'Колонки',
  sortBy: 'Сортировать',
  ascending: 'По возрастанию',
  descending: 'По убыванию',
  created: 'Создан',
  updated: 'Изменён',
  id: 'Id',
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
    'Каждый заказ фермы — строка этой таблицы. Перенесите заказы из другой программы файлом CSV, создайте заказ вручную на доске или поручите это автоматизации.',
};

export const WORDS = { en, ru };

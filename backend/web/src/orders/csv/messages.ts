import { count } from '../../i18n/messages';
import type { FaultKind } from './import-plan';
import type { FileFault } from './read';

const fileEn: Record<FileFault, string> = {
  tooLarge: 'This file is larger than 10 MB. Split it into smaller files.',
  workbook: 'This is an Excel workbook. In Excel, save it as “CSV UTF-8” and choose that file.',
  notUtf8: 'This file isn’t encoded in UTF-8. Save it as “CSV UTF-8”, or try reading it as Windows-1251.',
  empty: 'This file has no rows below the headings.',
  noModel: 'The first row has no model_name (or Model) column. Add one, so that every order has a model name.',
  tooMany: 'This file has more than 5,000 rows. Split it into smaller files.',
  openQuote:
    'A quotation mark in this file is never closed, so its rows can’t be read. Add the missing mark and choose the file again.',
  unreadable: 'This isn’t a text file. Choose a CSV file.',
};

const faultEn: Record<FaultKind, string> = {
  empty: 'is required',
  long: 'is too long',
  whole: 'must be a whole number from 0 to 1,000,000',
  decimal: 'must be 0 or a number of at least 0.001',
  day: 'must be a valid date, such as 2026-11-30 or 30.11.2026',
  color: 'must be a color such as #1E90FF',
  status: 'isn’t a known status',
  printer: 'doesn’t match any printer',
  printerTwice: 'matches several printers: use printer_id instead',
  price: 'must be an amount with no more decimal places than the currency allows',
  priceNeedsCurrency: 'needs a currency',
  currency: 'must be a three-letter code such as EUR',
  id: 'isn’t a valid order ID',
  idTwice: 'repeats the ID of an earlier row',
  cells: 'has more cells than headings',
};

const en = {
  title: 'Import orders from CSV',
  drop: 'Drop a CSV file here or',
  choose: 'Choose file',
  rules:
    'The first row must contain the column headings, named as in our export or as on these pages in English or Russian. Separate cells with commas, semicolons or tabs, use UTF-8, and include up to 5,000 rows. A row with an existing order’s ID updates the fields that differ, and an empty cell clears its field. Every other row creates a new order.',
  template: 'Download an empty template',
  as1251: 'Read as Windows-1251',
  reading: 'Comparing with existing orders…',
  create: (n: number) => (n === 1 ? '1 new order' : `${n} new orders`),
  update: (n: number) => (n === 1 ? '1 order to update' : `${n} orders to update`),
  same: (n: number) => (n === 1 ? '1 row unchanged' : `${n} rows unchanged`),
  fault: (n: number) => (n === 1 ? '1 row with errors' : `${n} rows with errors`),
  unknownIds: (n: number) =>
    n === 1
      ? '1 new order has an ID that doesn’t exist here. It gets a new ID.'
      : `${n} new orders have IDs that don’t exist here. They get new IDs.`,
  ignored: (names: string) => `Ignored columns: ${names}`,
  row: 'Row',
  what: 'Action',
  model: 'Model',
  fields: 'Fields',
  action: { create: 'Create', update: 'Update', same: 'No change', fault: 'Error' },
  shown: (n: number, all: number) => `Showing the first ${n} of ${all} rows`,
  faultAt: (row: number, column: string | null, fault: string) =>
    column === null ? `Row ${row}: ${fault}` : `Row ${row}, ${column}: ${fault}`,
  faults: faultEn,
  files: fileEn,
  andMore: (n: number) => `and ${n} more`,
  saveFaulty: 'Download these rows as CSV',
  faultyKept: 'Rows with errors are skipped. Download, fix and re-import them.',
  import: (n: number) => (n === 1 ? 'Import 1 row' : `Import ${n} rows`),
  nothing: 'Nothing to import.',
  other: 'Choose another file',
  cancel: 'Cancel',
  progress: (done: number, all: number) => `${done} of ${all}`,
  running: 'Importing… Keep this page open.',
  created: (n: number) => (n === 1 ? '1 order created' : `${n} orders created`),
  updated: (n: number) => (n === 1 ? '1 order updated' : `${n} orders updated`),
  failed: (n: number) => (n === 1 ? '1 row failed' : `${n} rows failed`),
  again: 'Retry failed rows',
  againLead: 'Retrying never creates duplicates.',
  close: 'Close',
};

const rows = (n: number) => count(n, 'строка', 'строки', 'строк');
const orders = (n: number) => count(n, 'заказ', 'заказа', 'заказов');

const ru: typeof en = {
  title: 'Импорт заказов из CSV',
  drop: 'Перетащите сюда файл CSV или',
  choose: 'Выберите файл',
  rules:
    'Первая строка — названия колонок: как в нашем экспорте или как на этих страницах, по-русски или по-английски. Разделитель — запятая, точка с запятой или табуляция; кодировка UTF-8; не больше 5000 строк. Строка с id заказа изменит этот заказ там, где есть отличия, пустая ячейка очищает поле; любая другая строка станет новым заказом.',
  template: 'Сохранить пустой файл с заголовками',
  as1251: 'Прочитать как Windows-1251',
  reading: 'Сравниваем с имеющимися заказами…',
  create: (n) => count(n, 'новый заказ', 'новых заказа', 'новых заказов'),
  update: (n) => `изменится ${orders(n)}`,
  same: (n) => `${rows(n)} без изменений`,
  fault: (n) => `${rows(n)} с ошибками`,
  unknownIds: (n) => `У новых заказов (${n}) указан id, которого здесь нет: они получат новый.`,
  ignored: (names) => `Пропущенные колонки: ${names}`,
  row: 'Строка',
  what: 'Что будет',
  model: 'Модель',
  fields: 'Поля',
  action: { create: 'Новый', update: 'Изменится', same: 'Без изменений', fault: 'Ошибка' },
  shown: (n, all) => `Первые ${n} из ${all} строк`,
  faultAt: (row, column, fault) => (column === null ? `Строка ${row}: ${fault}` : `Строка ${row}, ${column}: ${fault}`),
  faults: {
    empty: 'не заполнено',
    long: 'слишком длинно',
    whole: 'нужно целое число от 0 до 1 000 000',
    decimal: 'нужен 0 или число не меньше 0,001',
    day: 'нужна существующая дата, например 2026-11-30 или 30.11.2026',
    color: 'нужен цвет вида #1E90FF',
    status: 'такого статуса нет',
    printer: 'такого принтера нет',
    printerTwice: 'так называются несколько принтеров: укажите printer_id',
    price: 'нужна сумма, у которой знаков после запятой не больше, чем у валюты',
    priceNeedsCurrency: 'для цены нужна валюта',
    currency: 'нужны три буквы, например EUR',
    id: 'это не id заказа',
    idTwice: 'такой id уже есть в строке выше',
    cells: 'ячеек больше, чем заголовков',
  },
  files: {
    tooLarge: 'Файл больше 10 МБ. Разделите его на несколько.',
    workbook: 'Это книга Excel. Сохраните её в Excel как «CSV UTF-8» и выберите тот файл.',
    notUtf8: 'Кодировка файла — не UTF-8. Сохраните его как «CSV UTF-8» или попробуйте прочитать как Windows-1251.',
    empty: 'Под заголовками в этом файле нет ни одной строки.',
    noModel: 'В первой строке нет колонки model_name (или «Модель»): без неё неизвестно, что заказано.',
    tooMany: 'В файле больше 5000 строк. Разделите его на несколько.',
    openQuote: 'Кавычка в файле открыта и не закрыта, поэтому строки не отделить друг от друга.',
    unreadable: 'Это не текстовый файл.',
  },
  andMore: (n) => `и ещё ${n}`,
  saveFaulty: 'Сохранить эти строки в CSV',
  faultyKept: 'Строки с ошибками пропускаются. Сохраните их, исправьте и импортируйте тот файл.',
  import: (n) => `Импортировать: ${rows(n)}`,
  nothing: 'Импортировать нечего.',
  other: 'Другой файл',
  cancel: 'Отмена',
  progress: (done, all) => `${done} из ${all}`,
  running: 'Идёт импорт. Не закрывайте страницу.',
  created: (n) => `Создано: ${orders(n)}`,
  updated: (n) => `Изменено: ${orders(n)}`,
  failed: (n) => `Не удалось: ${rows(n)}`,
  again: 'Повторить неудавшиеся строки',
  againLead: 'Повтор не создаёт дубликатов.',
  close: 'Закрыть',
};

export const MESSAGES = { en, ru };

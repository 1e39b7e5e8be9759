import type { Language } from '../i18n/messages';
import type { ColumnName } from './order-columns';

const en: Record<ColumnName, string> = {
  model_name: 'Item',
  workflow_status: 'Status',
  due_date: 'Due date',
  quantity_pieces: 'Quantity',
  material_name: 'Material',
  color_hex: 'Color',
  material_grams: 'Material (g)',
  print_hours: 'Print time (h)',
  printer_name: 'Printer',
  printer_id: 'Printer',
  customer_name: 'Customer',
  customer_contact: 'Contact',
  price: 'Price',
  currency: 'Currency',
  order_notes: 'Notes',
  created_at: 'Created',
  updated_at: 'Updated',
  id: 'ID',
};

const ru: typeof en = {
  model_name: 'Изделие',
  workflow_status: 'Статус',
  due_date: 'Срок',
  quantity_pieces: 'Штук',
  material_name: 'Материал',
  color_hex: 'Цвет',
  material_grams: 'Материал, г',
  print_hours: 'Время печати,\u00a0ч',
  printer_name: 'Принтер',
  printer_id: 'Принтер',
  customer_name: 'Клиент',
  customer_contact: 'Контакт',
  price: 'Цена',
  currency: 'Валюта',
  order_notes: 'Заметки',
  created_at: 'Создан',
  updated_at: 'Изменён',
  id: 'Id',
};

/** What the fields of an order are called. */
export const LABELS: Record<Language, Record<ColumnName, string>> = { en, ru };

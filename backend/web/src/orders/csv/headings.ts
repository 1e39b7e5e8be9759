import { isId } from '../../api/ids';
import type { Language } from '../../i18n/messages';
import { LABELS } from '../messages';
import { type Mapping, mapColumn, TARGETS, type Target, targetLabels } from './fields';
import { findStatus, toColor } from './read-cell';
import type { Table } from './table';

/** Without case, accents, spaces and punctuation: `Prix unitaire (€)` is `prix unitaire €`. */
const simple = (heading: string) =>
  heading
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_,.:;()[\]#*/№°’'-]+/g, ' ')
    .trim();

/** Several headings for one field: a text in parts. */
type Names = string | string[];

/** Headings of the order exports of Shopify, Etsy and WooCommerce, whose "Price" is for one piece. */
const SHOP_NAMES: Partial<Record<Target, Names[]>> = {
  model_name: ['lineitem name', ['item name', 'variations'], ['item name', 'product variation'], 'item name'],
  quantity_pieces: ['lineitem quantity', 'quantity refund', 'item quantity'],
  price: ['item total', 'order line total refund', 'order line total'],
  unit_price: ['lineitem price', 'item cost'],
  customer_name: [
    ...['billing name', 'full name billing', 'ship name'],
    ['billing first name', 'billing last name'],
    ['first name billing', 'last name billing'],
  ],
  customer_contact: ['email', 'billing email', 'email billing'],
  currency: ['order currency'],
  order_notes: ['customer note'],
};

/** Other common headings in English, German, French and Russian. */
const COMMON_NAMES: Partial<Record<Target, Names[]>> = {
  model_name: [
    ...['model name', 'product name', 'part name', 'part', 'product', 'products', 'item', 'title'],
    ...['artikelname', 'artikelbezeichnung', 'artikel', 'produktname', 'produkt', 'modell', 'bezeichnung', 'teil'],
    ...['nom du produit', 'nom de l’article', 'modèle', 'article', 'produit', 'désignation', 'pièce'],
    ...['наименование', 'название', 'товар', 'изделие', 'деталь'],
    ...['name', 'nom', 'имя'],
  ],
  quantity_pieces: [
    ...['qty', 'pcs', 'pieces', 'count', 'items', 'anzahl', 'menge', 'stückzahl', 'stück'],
    ...['quantité', 'qté', 'nombre', 'количество', 'кол-во', 'штуки', 'шт'],
  ],
  price: [...['line total', 'total price', 'preis', 'gesamtpreis', 'prix', 'prix total', 'стоимость']],
  unit_price: [
    ...['item price', 'unit price', 'price per piece', 'price each', 'einzelpreis', 'stückpreis', 'preis pro stück'],
    ...['prix unitaire', 'цена за штуку', 'цена за шт', 'цена за единицу'],
  ],
  currency: ['währung', 'devise', 'monnaie'],
  customer_name: [
    ...['customer name', 'shipping name', 'full name', 'buyer', 'client'],
    ...['kundenname', 'kunde', 'besteller', 'nom du client', 'acheteur', 'заказчик', 'покупатель', 'фио'],
    ['first name', 'last name'],
    ['vorname', 'nachname'],
    ['prénom', 'nom'],
    ['имя', 'фамилия'],
  ],
  customer_contact: [
    ...['e-mail', 'customer email', 'mail', 'phone', 'contacts', 'kontakt', 'e-mail-adresse', 'telefon', 'courriel'],
    ...['téléphone', 'контакты', 'почта', 'эл почта', 'электронная почта', 'телефон'],
  ],
  due_date: [
    ...['due', 'deadline', 'deliver by', 'ship by', 'ship by date', 'delivery date'],
    ...['fällig am', 'fällig', 'liefertermin', 'lieferdatum', 'termin', 'échéance', 'date de livraison'],
    ...['срок сдачи', 'дата сдачи', 'дедлайн'],
  ],
  material_name: ['filament', 'werkstoff', 'matière', 'matériau', 'пластик', 'филамент'],
  color_hex: ['colour', 'farbe', 'couleur'],
  // not "weight": it may be in kilograms
  material_grams: [
    ...['grams', 'gram', 'weight g', 'grams of material', 'gramm', 'gewicht g', 'material in g', 'grammes', 'poids g'],
    ...['вес г', 'граммы', 'грамм'],
  ],
  // not "print time": it may be in minutes
  print_hours: [
    'hours',
    'time h',
    'stunden',
    'druckstunden',
    'druckzeit h',
    'heures',
    'heures d’impression',
    'часы',
    'часов',
  ],
  printer_name: ['drucker', 'imprimante'],
  order_notes: [
    ...['note', 'comment', 'comments', 'notiz', 'notizen', 'bemerkung', 'bemerkungen', 'anmerkung', 'kommentar'],
    ...[
      'remarque',
      'remarques',
      'commentaire',
      'commentaires',
      'примечание',
      'примечания',
      'комментарий',
      'комментарии',
    ],
  ],
  order_number: [
    ...[
      'order number',
      'order id',
      'order no',
      'order nr',
      'order',
      'shop ref',
      'reference',
      'bestellnummer',
      'bestell-nr',
    ],
    ...['auftragsnummer', 'numéro de commande', 'n° de commande', 'commande', 'номер заказа', '№ заказа', 'заказ'],
  ],
};

function labelsOf(language: Language, target: Target): string[] {
  const label = targetLabels(language)[target];
  return target === 'price' ? [label, LABELS[language].price] : [label];
}

/** Our own headings: the names in the API, and what these pages call the fields. */
const OWN_NAMES: Partial<Record<Target, Names[]>> = Object.fromEntries(
  TARGETS.map((target) => [
    target,
    [target, ...(['en', 'ru'] as const).flatMap((language) => labelsOf(language, target))],
  ]),
);

const ALL_NAMES: ReadonlyMap<Target, string[][]> = new Map(
  TARGETS.map((target) => [
    target,
    [SHOP_NAMES, OWN_NAMES, COMMON_NAMES]
      .flatMap((names) => names[target] ?? [])
      .map((name) => [name].flat().map(simple)),
  ]),
);

const KNOWN: ReadonlySet<string> = new Set([...ALL_NAMES.values()].flat(2));

/** How many of the headings are known. */
export const countKnown = (headings: readonly string[]): number =>
  headings.filter((heading) => KNOWN.has(simple(heading))).length;

/** Columns of these are recognized by their cells, too: a shop has its own IDs, statuses and names of colors. */
const IS_CELL: Partial<Record<Target, (cell: string) => boolean>> = {
  id: isId,
  printer_id: isId,
  workflow_status: (cell) => findStatus(cell) !== undefined,
  color_hex: (cell) => toColor(cell) !== undefined,
};

/** Guesses by its headings what each column of a file is. */
export function guessMapping({ headings, rows }: Table): Mapping {
  const names = headings.map(simple);
  let mapping: Mapping = headings.map(() => null);
  const isLike = (target: Target, place: number) => {
    const cells = rows.map((row) => (row.cells[place] ?? '').trim()).filter((cell) => cell !== '');
    return cells.length === 0 || cells.some(IS_CELL[target] ?? (() => true));
  };
  const find = (target: Target, parts: string[]) =>
    parts.map((part) =>
      names.findIndex((name, place) => name === part && mapping[place] === null && isLike(target, place)),
    );
  for (const [target, alternatives] of ALL_NAMES) {
    if (target === 'unit_price' && mapping.includes('price')) continue;
    const places = alternatives.map((parts) => find(target, parts)).find((found) => !found.includes(-1)) ?? [];
    for (const place of places) mapping = mapColumn(mapping, place, target);
  }
  // Shopify calls the number of an order its name
  const place = names.indexOf('name');
  return names.includes('lineitem name') && place >= 0 ? mapColumn(mapping, place, 'order_number') : mapping;
}

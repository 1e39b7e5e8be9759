import { lookupTable } from '../../../common/src/lookup-table.ts';
import type { WorkflowStatus } from '../orders/status.ts';
import type { Language } from '../shared/language.ts';

/** A name in each language of the console. */
type Named = Record<Language, string>;
const named = (en: string, ru: string): Named => ({ en, ru });

/** A small farm. Everything is fixed, so that two demos look alike; only dates are relative to today. */
export const GROUPS = [
  {
    name: named('Front room', 'Передняя'),
    printers: [
      [named('Anna', 'Анна'), 'front-1', 'Bambu Lab P1S', true],
      [named('Boris', 'Борис'), 'front-2', 'Bambu Lab P1S', false],
      [named('Clara', 'Клара'), 'front-3', 'Bambu Lab X1C', true],
      [named('Dora', 'Дора'), 'front-4', 'Prusa MK4S', false],
    ],
  },
  {
    name: named('Basement', 'Подвал'),
    printers: [
      [named('Emil', 'Эмиль'), 'base-1', 'Prusa MK4S', false],
      [named('Fedor', 'Фёдор'), 'base-2', 'Voron 2.4', false],
      [named('Greta', 'Грета'), 'base-3', 'Voron 2.4', false],
      [named('Hugo', 'Гуго'), 'base-4', 'Creality K1 Max', false],
    ],
  },
] as const;

/**
 * The stock: name, brand, type, colors, threshold in grams, batches of [spools, roubles per spool, days ago], grams
 * used
 */
export const FILAMENTS: [Named, string, string, string[], number, [number, number, number][], number][] = [
  [
    named('PETG Black', 'PETG чёрный'),
    'Bestfilament',
    'PETG',
    ['#1A1A1A'],
    1000,
    [
      [4, 1490, 70],
      [4, 1550, 12],
    ],
    4380.5,
  ],
  [named('PETG Blue', 'PETG синий'), 'Bestfilament', 'PETG', ['#1E90FF'], 800, [[3, 1490, 55]], 2060.25],
  [
    named('PETG Clear', 'PETG прозрачный'),
    'eSUN',
    'PETG',
    ['#E8F4F8'],
    500,
    [
      [2, 1690, 40],
      [1, 1750, 5],
    ],
    640,
  ],
  [
    named('PLA White', 'PLA белый'),
    'eSUN',
    'PLA',
    ['#FFFFFF'],
    1500,
    [
      [6, 1290, 80],
      [6, 1350, 20],
    ],
    7215.75,
  ],
  [named('PLA Matte Grey', 'PLA серый матовый'), 'Polymaker', 'PLA', ['#8A8D8F'], 500, [[3, 1850, 33]], 1120],
  [
    named('PLA Silk Sunset', 'PLA Silk «Закат»'),
    'eSUN',
    'PLA',
    ['#FF5F6D', '#FFC371'],
    300,
    [
      [1, 1990, 28],
      [1, 1990, 3],
    ],
    410.5,
  ],
  [
    named('PLA Fire Red', 'PLA огненно-красный'),
    'Polymaker',
    'PLA',
    ['#C8102E'],
    2500,
    [
      [1, 1850, 45],
      [1, 1890, 15],
    ],
    655,
  ],
  [
    named('ABS Black', 'ABS чёрный'),
    'Bestfilament',
    'ABS',
    ['#101010'],
    1000,
    [
      [5, 1190, 60],
      [3, 1250, 8],
    ],
    3900,
  ],
  [named('ASA Signal Orange', 'ASA сигнальный оранжевый'), 'Fiberlogy', 'ASA', ['#FF6700'], 500, [[2, 2890, 25]], 380],
  [
    named('TPU 95A Natural', 'TPU 95A натуральный'),
    'Polymaker',
    'TPU',
    ['#EDE6D6'],
    400,
    [
      [2, 3200, 50],
      [1, 3350, 10],
    ],
    1260,
  ],
  [named('PA-CF', 'PA-CF'), 'Fiberlogy', 'PA-CF', ['#2B2B2B'], 250, [[1, 6900, 30]], 525],
  [
    named('PLA Rainbow', 'PLA «Радуга»'),
    'eSUN',
    'PLA',
    ['#E40303', '#FFED00', '#008026', '#24408E'],
    300,
    [
      [1, 2190, 18],
      [1, 2250, 2],
    ],
    90,
  ],
];

/** name, material, color, grams and hours per piece */
export const MODELS: [Named, string, string, number, number][] = [
  [named('Wall bracket, left', 'Кронштейн настенный, левый'), 'PETG', '#1A1A1A', 45.5, 1.55],
  [named('Cable comb, 24 ways', 'Гребёнка для кабелей, 24'), 'PLA', '#FFFFFF', 12.25, 0.6],
  [named('Camera mount v3', 'Крепление камеры v3'), 'ASA', '#FF6700', 68, 2.9],
  [named('Planter, hexagon', 'Кашпо, шестигранник'), 'PLA', '#8A8D8F', 210, 8.25],
  [named('Drone arm', 'Луч дрона'), 'PA-CF', '#2B2B2B', 38.75, 2.4],
  [named('Phone stand', 'Подставка для телефона'), 'PLA', '#FFFFFF', 55, 2.1],
  [named('Gear, 48 teeth', 'Шестерня, 48 зубьев'), 'PETG', '#1E90FF', 22.4, 1.1],
  [named('Vase, twisted', 'Ваза, витая'), 'PLA', '#FF5F6D', 160, 6.5],
  [named('Bumper, 40 mm', 'Отбойник, 40 мм'), 'TPU', '#EDE6D6', 18, 1.35],
  [named('Enclosure, lid', 'Корпус, крышка'), 'ABS', '#101010', 124.8, 5.2],
  [named('Name plate', 'Табличка с именем'), 'PLA', '#C8102E', 15, 0.75],
  [named('Lamp shade', 'Абажур'), 'PETG', '#E8F4F8', 320, 13.5],
];

export const CUSTOMERS: Named[] = [
  named('Atelier Nord', 'Ателье «Север»'),
  named('Cube Workshop', 'Мастерская «Кубик»'),
  named('Robotics Club 17', 'Кружок робототехники № 17'),
  named('Irene Falk', 'Ирина Соколова'),
  named('Hansen & Co', 'ООО «Вектор»'),
  named('School No. 4', 'Школа № 4'),
  named('Studio Ember', 'Студия «Уголёк»'),
  named('Paul Winter', 'Павел Зимин'),
];

const NO_NOTE = named('', '');
export const NOTES: Named[] = [
  NO_NOTE,
  NO_NOTE,
  named('Logo on the inside', 'Логотип с внутренней стороны'),
  named('Call before delivery', 'Позвонить перед доставкой'),
  NO_NOTE,
  named('Sand the visible side', 'Отшлифовать видимую сторону'),
  named('Second order of the same part', 'Повторный заказ той же детали'),
  NO_NOTE,
];

/** Requests from customers: what they wrote, days ago, and what became of them. */
export const REQUESTS: {
  description: Named;
  contact: Named;
  email: string;
  budget: Named;
  deadline: Named;
  daysAgo: number;
  becomes: 'new' | 'answered' | 'order';
}[] = [
  {
    description: named(
      'Twelve name plates for our classrooms, 120 × 40 mm, raised letters. I can send the list of names.',
      'Двенадцать табличек для кабинетов, 120 × 40 мм, с выпуклыми буквами. Список пришлю.',
    ),
    contact: named('School No. 4, Anna Reed', 'Школа № 4, Анна Ремизова'),
    email: 'school4@customer.example',
    budget: named('up to 150', 'до 12 000 ₽'),
    deadline: named('end of next month', 'до конца следующего месяца'),
    daysAgo: 9.2,
    becomes: 'order',
  },
  {
    description: named(
      'Do you print spare gears for a coffee grinder? The original is nylon and has 48 teeth.',
      'Печатаете запасные шестерни для кофемолки? Оригинал нейлоновый, 48 зубьев.',
    ),
    contact: named('', ''),
    email: 'grinder@customer.example',
    budget: named('', ''),
    deadline: named('as soon as possible', 'как можно скорее'),
    daysAgo: 4.4,
    becomes: 'answered',
  },
  {
    description: named(
      'A hexagon planter, 300 mm wide, matte grey, watertight if possible. Two pieces.',
      'Кашпо-шестигранник, ширина 300 мм, матовое серое, по возможности непромокаемое. Две штуки.',
    ),
    contact: named('Irene Falk', 'Ирина Соколова'),
    email: 'irene@customer.example',
    budget: named('80', '6 000 ₽'),
    deadline: named('two weeks', 'две недели'),
    daysAgo: 0.3,
    becomes: 'new',
  },
];

/** Who the sample invoices are from: not the account, whose business details nobody has entered yet. */
export const SELLER = {
  name: named('Sample Print Farm', 'Демонстрационная ферма'),
  address: named('1 Example Street', 'ул. Примерная, 1'),
  payment_note: named('This is a sample invoice. Please don’t pay it.', 'Это пример счёта. Не оплачивайте его.'),
};

/** Invoices of orders with a status: issued and paid days ago; undefined: not. */
export const INVOICES: { of: WorkflowStatus; createdDaysAgo: number; isIssued: boolean; paidDaysAgo?: number }[] = [
  { of: 'done', createdDaysAgo: 12.1, isIssued: true, paidDaysAgo: 9.6 },
  { of: 'delivery', createdDaysAgo: 0.6, isIssued: true },
  { of: 'packing', createdDaysAgo: 0.4, isIssued: false },
];

export const FAILURE = named('Spaghetti detected at layer 84', 'Сбой на слое 84: «спагетти»');

/** Texts in ledgers and histories. */
export const ACTOR = named('sample data', 'пример');
export const OTHER_PRINTS = named('other prints', 'другая печать');

/**
 * Rough exchange rates, so that prices look plausible in each currency. Currencies that are missing here count as US
 * dollars.
 */
const ROUBLES_PER_UNIT = lookupTable<number>({
  RUB: 1,
  BYN: 27,
  KZT: 0.16,
  UAH: 2,
  GEL: 30,
  AMD: 0.21,
  UZS: 0.0065,
  KGS: 0.92,
  EUR: 90,
  GBP: 105,
  CHF: 95,
  PLN: 21,
  CZK: 3.7,
  HUF: 0.23,
  RON: 18,
  SEK: 8,
  NOK: 7.7,
  DKK: 12,
  TRY: 2.2,
  RSD: 0.77,
  USD: 80,
  CAD: 58,
  MXN: 4.4,
  BRL: 15,
  ARS: 0.07,
  CLP: 0.085,
  COP: 0.02,
  AUD: 53,
  NZD: 48,
  JPY: 0.55,
  KRW: 0.06,
  CNY: 11,
  INR: 0.95,
  IDR: 0.005,
  VND: 0.0032,
  THB: 2.4,
  ILS: 24,
  AED: 22,
  ZAR: 4.6,
});

/** A price of the sample farm in another currency, rounded as prices usually are. */
export function priceIn(currency: string, roubles: number): number {
  if (currency === 'RUB') return roubles;
  const amount = roubles / (ROUBLES_PER_UNIT.get(currency) ?? 80);
  const step = amount >= 100 ? 5 : amount >= 10 ? 1 : 0.5;
  return Math.max(step, Math.round(amount / step) * step);
}

/** How many orders have each status. */
export const STATUSES: [WorkflowStatus, number][] = [
  ['negotiation', 9],
  ['confirmed', 10],
  ['assigned', 6],
  ['printing', 8],
  ['print_error', 2],
  ['packing', 5],
  ['delivery', 5],
  ['done', 12],
  ['cancelled', 3],
  ['closed', 6],
];

/** The statuses that an order went through. */
export const PATHS: Record<WorkflowStatus, WorkflowStatus[]> = {
  negotiation: ['negotiation'],
  confirmed: ['negotiation', 'confirmed'],
  assigned: ['negotiation', 'confirmed', 'assigned'],
  printing: ['confirmed', 'assigned', 'printing'],
  print_error: ['confirmed', 'assigned', 'printing', 'print_error'],
  packing: ['confirmed', 'assigned', 'printing', 'packing'],
  delivery: ['confirmed', 'assigned', 'printing', 'packing', 'delivery'],
  done: ['confirmed', 'assigned', 'printing', 'packing', 'done'],
  cancelled: ['negotiation', 'cancelled'],
  closed: ['confirmed', 'assigned', 'printing', 'print_error', 'printing', 'packing', 'done', 'closed'],
};

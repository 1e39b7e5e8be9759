import type { SimulationInput } from '../../../../common/src/simulation.ts';
import type { OrderPlan } from './plan.ts';

/** The languages of the console. */
export type Language = SimulationInput['language'];
type Named = Record<Language, string>;
const named = (en: string, ru: string): Named => ({ en, ru });

export interface PrinterData {
  name: string;
  model: string;
  /** of the filament that is loaded all day */
  filament: { name: Named; type: string; color: string; brand: string; threshold: number };
  /** what is printed with it: name, grams, minutes */
  parts: [Named, number, number][];
}

/** The four printers, in the order of the protocols in `printers.ts`. Each has less filament than the day needs. */
export const PRINTERS: readonly PrinterData[] = [
  {
    name: 'Vera',
    model: 'Voron 2.4',
    filament: {
      name: named('PETG Black', 'PETG чёрный'),
      type: 'PETG',
      color: '#1A1A1A',
      brand: 'eSUN',
      threshold: 750,
    },
    parts: [
      [named('Wall bracket, left', 'Кронштейн настенный, левый'), 91, 95],
      [named('Battery box', 'Батарейный отсек'), 133.5, 130],
      [named('Hose adapter', 'Переходник для шланга'), 72.25, 80],
    ],
  },
  {
    name: 'Otto',
    model: 'Ender 3 S1',
    filament: {
      name: named('PLA White', 'PLA белый'),
      type: 'PLA',
      color: '#F4F4F4',
      brand: 'Polymaker',
      threshold: 700,
    },
    parts: [
      [named('Phone stand', 'Подставка для телефона'), 110, 105],
      [named('Cable comb, 24 ways', 'Гребёнка для кабелей, 24'), 49, 70],
      [named('Lamp shade', 'Абажур'), 164.8, 150],
    ],
  },
  {
    name: 'Pavel',
    model: 'Prusa MK4S',
    filament: {
      name: named('PETG Blue', 'PETG синий'),
      type: 'PETG',
      color: '#1E90FF',
      brand: 'Prusament',
      threshold: 650,
    },
    parts: [
      [named('Gear, 48 teeth', 'Шестерня, 48 зубьев'), 67.2, 85],
      [named('Camera mount v3', 'Крепление камеры v3'), 136, 125],
      [named('Drawer handle', 'Ручка для ящика'), 81.6, 90],
    ],
  },
  {
    name: 'Bea',
    model: 'Bambu Lab P1S',
    filament: {
      name: named('PLA Fire Red', 'PLA огненно-красный'),
      type: 'PLA',
      color: '#C8102E',
      brand: 'Bambu Lab',
      threshold: 500,
    },
    parts: [
      [named('Name plate', 'Табличка с именем'), 60, 60],
      [named('Planter, hexagon', 'Кашпо, шестигранник'), 210, 140],
      [named('Vase, twisted', 'Ваза, витая'), 160, 115],
    ],
  },
];

export const CUSTOMERS: readonly Named[] = [
  named('Nora Lindqvist', 'Нора Линдквист'),
  named('Bright Loft', 'Лофт «Светлый»'),
  named('Bicycle workshop Rad', 'Веломастерская «Рад»'),
  named('Timur Aliev', 'Тимур Алиев'),
  named('School of Robotics', 'Школа робототехники'),
  named('Marta Costa', 'Марта Коста'),
  named('Hydro Garden', 'Гидро-Сад'),
];

export const GROUP = named('Simulated farm', 'Симулированная ферма');

export const SELLER = {
  name: named('Simulated workshop', 'Симулированная мастерская'),
  address: named('1 Example Street', 'ул. Примерная, 1'),
};

export const BANK = named('Simulated bank', 'Симулированный банк');

/** In minor units of the account's currency. */
export const pricePerGram = (currency: string): number => (currency === 'RUB' ? 1400 : 18);
/** In main units. */
export const spoolPrice = (currency: string): number => (currency === 'RUB' ? 1890 : 24);

export const partOf = ({ printer, part }: Pick<OrderPlan, 'printer' | 'part'>) => {
  const data = PRINTERS[printer] as PrinterData;
  const [name, grams, minutes] = data.parts[part] as [Named, number, number];
  return { name, grams, minutes, filament: data.filament };
};

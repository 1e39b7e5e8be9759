import type { WorkflowStatus } from '../workflow.ts';

/** A farm as a small shop has it. Everything is fixed, so that two demos look alike; only dates follow the day. */
export const GROUPS = [
  {
    name: 'Front room',
    printers: [
      ['Anna', 'front-1', 'Bambu Lab P1S', true],
      ['Boris', 'front-2', 'Bambu Lab P1S', false],
      ['Clara', 'front-3', 'Bambu Lab X1C', true],
      ['Dora', 'front-4', 'Prusa MK4S', false],
    ],
  },
  {
    name: 'Basement',
    printers: [
      ['Emil', 'base-1', 'Prusa MK4S', false],
      ['Fedor', 'base-2', 'Voron 2.4', false],
      ['Greta', 'base-3', 'Voron 2.4', false],
      ['Hugo', 'base-4', 'Creality K1 Max', false],
    ],
  },
] as const;

/** What is in stock: name, brand, type, colours, threshold in grams, batches of [spools, roubles a spool, days ago], grams used */
export const FILAMENTS: [string, string, string, string[], number, [number, number, number][], number][] = [
  [
    'PETG Black',
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
  ['PETG Blue', 'Bestfilament', 'PETG', ['#1E90FF'], 800, [[3, 1490, 55]], 2060.25],
  [
    'PETG Clear',
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
    'PLA White',
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
  ['PLA Matte Grey', 'Polymaker', 'PLA', ['#8A8D8F'], 500, [[3, 1850, 33]], 1120],
  [
    'PLA Silk Sunset',
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
    'PLA Fire Red',
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
    'ABS Black',
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
  ['ASA Signal Orange', 'Fiberlogy', 'ASA', ['#FF6700'], 500, [[2, 2890, 25]], 380],
  [
    'TPU 95A Natural',
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
  ['PA-CF', 'Fiberlogy', 'PA-CF', ['#2B2B2B'], 250, [[1, 6900, 30]], 525],
  [
    'PLA Rainbow',
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

/** name, material, colour, grams and hours of one piece */
export const MODELS: [string, string, string, number, number][] = [
  ['Wall bracket, left', 'PETG', '#1A1A1A', 45.5, 1.55],
  ['Cable comb, 24 ways', 'PLA', '#FFFFFF', 12.25, 0.6],
  ['Camera mount v3', 'ASA', '#FF6700', 68, 2.9],
  ['Planter, hexagon', 'PLA', '#8A8D8F', 210, 8.25],
  ['Drone arm', 'PA-CF', '#2B2B2B', 38.75, 2.4],
  ['Phone stand', 'PLA', '#FFFFFF', 55, 2.1],
  ['Gear, 48 teeth', 'PETG', '#1E90FF', 22.4, 1.1],
  ['Vase, twisted', 'PLA', '#FF5F6D', 160, 6.5],
  ['Bumper, 40 mm', 'TPU', '#EDE6D6', 18, 1.35],
  ['Enclosure, lid', 'ABS', '#101010', 124.8, 5.2],
  ['Name plate', 'PLA', '#C8102E', 15, 0.75],
  ['Lamp shade', 'PETG', '#E8F4F8', 320, 13.5],
];

export const CUSTOMERS = [
  'Atelier Nord',
  'Мастерская «Кубик»',
  'Robotics club 17',
  'Ирина Соколова',
  'Hansen & Co',
  'School no. 4',
  'Studio Ember',
  'Павел',
];
export const NOTES = [
  '',
  '',
  'Logo on the inside',
  'Call before delivery',
  '',
  'Sand the visible side',
  'Second order of the same part',
  '',
];

/** How many orders of each status: a farm at work, with a past. */
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

/** Which way an order came to where it is. */
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

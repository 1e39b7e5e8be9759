import { times } from '../../../../../test/kit/length';
import { createRandom, seedFrom } from '../../../../../test/kit/random';
import { NewOrder } from '../../../../src/orders/order-schema';
import { MESSAGES as COMMON_MESSAGES } from '../../i18n/messages';
import { writeNumber } from '../../i18n/read-number';
import type { Order } from '../../order-data/orders-api';
import type { Mapping, Target } from './fields';
import { guessMapping } from './headings';
import { type Known, plan } from './import-plan';
import { MESSAGES } from './messages';
import { parse } from './read';
import { type Format, shownColumns, shownValue } from './shown-values';
import type { Answers, Plan, Step } from './step';
import type { Table } from './table';

const NOTHING: Known = { orders: new Map(), existing: [], printers: [] };

function read(text: string): Table {
  const table = parse(text);
  if (!table.ok) throw new Error(table.fault);
  return table.value;
}

function planOf(text: string, answers: Answers = {}, known: Known = NOTHING): Plan & { mapping: Mapping } {
  const table = read(text);
  const mapping = guessMapping(table);
  return { mapping, ...plan(table, mapping, answers, known) };
}

const bodyOf = (step: Step | undefined) => (step?.action === 'create' ? step.body : step?.action);
const bodies = (planned: Plan) => planned.steps.map(bodyOf);

test('a file with more columns than a person can choose from is refused', () => {
  const columns = (count: number) => `model_name${',x'.repeat(count - 1)}\nA${',1'.repeat(count - 1)}\n`;
  expect(parse(columns(300)).ok).toBe(true);
  expect(parse(columns(301))).toEqual({ ok: false, fault: 'tooManyColumns' });
});

describe('numbers', () => {
  const file = (grams: string, hours = '1', quantity = '1') =>
    `model_name;material_grams;print_hours;quantity_pieces\nA;${grams};${hours};${quantity}\n`;

  test('with three digits after their only separator are asked about once for all columns', () => {
    const unanswered = planOf(file('1,234', '12,500', '2,000'));
    expect([unanswered.open, bodies(unanswered)]).toEqual([['mark'], ['fault']]);
    expect(unanswered.questions).toEqual([
      {
        about: 'mark',
        examples: [
          { target: 'quantity_pieces', cell: '2,000' },
          { target: 'material_grams', cell: '1,234' },
          { target: 'print_hours', cell: '12,500' },
        ],
        rows: [2],
      },
    ]);
    expect(bodies(planOf(file('1,234', '12,500', '2,000'), { mark: '.' }))).toEqual([
      { model_name: 'A', material_grams: 1234, print_hours: 12_500, quantity_pieces: 2000 },
    ]);
    expect(bodies(planOf(file('1,234', '12,500', '2,000'), { mark: ',' }))).toEqual([
      { model_name: 'A', material_grams: 1.234, print_hours: 12.5, quantity_pieces: 2 },
    ]);
  });

  test('are decided by another cell of their column only', () => {
    const decided = planOf(`${file('1.234')}B;22,5;1;1\n`, {});
    expect([decided.open, bodies(decided)[0]]).toEqual([[], expect.objectContaining({ material_grams: 1234 })]);
    // an answer doesn't overrule what the column proves
    expect(bodies(planOf(`${file('1.234')}B;22,5;1;1\n`, { mark: '.' }))).toEqual(bodies(decided));
    // another column may be of another program
    expect(planOf(`${file('1.234', '22,5')}`).open).toEqual(['mark']);
    // a column with both marks decides nothing
    expect(planOf(`${file('1.234')}B;22,5;1;1\nC;22.5;1;1\n`).open).toEqual(['mark']);
  });

  test('in groups of other than three digits are refused', () => {
    for (const grams of ['1,2,3.4', '1,23,456.5', '12 g', '12e3']) {
      expect(planOf(file(grams)).steps).toMatchObject([{ faults: [{ target: 'material_grams', kind: 'number' }] }]);
    }
    expect(planOf(file('-5', '1', '1.5')).steps).toMatchObject([
      { faults: [{ kind: 'whole' }, { target: 'material_grams', kind: 'decimal' }] },
    ]);
  });

  test('of our export are read as they were', () => {
    for (const [mark, delimiter] of [
      ['.', ','],
      [',', ';'],
    ] as const) {
      const cells = ['Vase', writeNumber('1.234', mark), writeNumber('12.5', mark)];
      const planned = planOf(`model_name${delimiter}material_grams${delimiter}print_hours\n${cells.join(delimiter)}`);
      expect([planned.open, bodies(planned)]).toEqual([
        [],
        [{ model_name: 'Vase', material_grams: 1.234, print_hours: 12.5 }],
      ]);
    }
  });
});

describe('dates', () => {
  test('are asked about once, unless another date decides', () => {
    const file = 'Model,Due date\nA,05/12/2026\nB,06/12/2026\n';
    expect(planOf(file).questions).toEqual([
      { about: 'dayOrder', examples: [{ target: 'due_date', cell: '05/12/2026' }], rows: [2, 3] },
    ]);
    expect(bodies(planOf(file, { dayOrder: 'dayFirst' }))[0]).toMatchObject({ due_date: '2026-12-05' });
    expect(bodies(planOf(file, { dayOrder: 'monthFirst' }))[0]).toMatchObject({ due_date: '2026-05-12' });
    const decided = planOf(`${file}C,12/25/2026\n`);
    expect([decided.open, bodies(decided)[0]]).toEqual([[], { model_name: 'A', due_date: '2026-05-12' }]);
  });
});

describe('files', () => {
  test.each([
    ['sep=;\r\nmodel_name;material_grams\r\nA;5\r\n', 2],
    ['\uFEFF"sep=;"\nmodel_name;material_grams\nA;5\n', 2],
    ['sep=\\t\nmodel_name\tmaterial_grams\nA\t5\n', 2],
    ['SEP=\t\r\nmodel_name\tmaterial_grams\r\nA\t5', 2],
    ['sep=;;;\nmodel_name;material_grams\nA;5\n', 2],
    ['sep=|\n\uFEFFmodel_name|material_grams\nA|5\n', 2],
    ['sep=^\nmodel_name^material_grams\nA^5\n', 2],
    ['\uFEFF\uFEFFmodel_name,material_grams\rA,5\r', 2],
    ['Orders of November\n\nfrom 2026-11-01\nmodel_name;material_grams\nA;5\n', 5],
    ['"Orders; all";;\nmodel_name;material_grams;\nA;5;\n', 3],
  ])('%j has one row', (text, number) => {
    const planned = planOf(text);
    expect(bodies(planned)).toEqual([{ model_name: 'A', material_grams: 5 }]);
    expect(planned.steps[0]?.row.number).toBe(number);
  });
});

describe('columns', () => {
  const mapped = (headings: string, cells = headings.replace(/[^,;]+/g, 'x')) => {
    const table = read(`${headings}\n${cells}\n`);
    const mapping = guessMapping(table);
    return Object.fromEntries(
      table.headings.flatMap((heading, place) => (mapping[place] ? [[heading, mapping[place]]] : [])),
    );
  };

  test.each([
    [
      'Name;Qty;Grams;Hours;Shop ref;Weight',
      ['model_name', 'quantity_pieces', 'material_grams', 'print_hours', 'order_number'],
    ],
    [
      'Artikel;Stückzahl;Kunde;Liefertermin;Einzelpreis;Währung;Bemerkung',
      ['model_name', 'quantity_pieces', 'customer_name', 'due_date', 'unit_price', 'currency', 'order_notes'],
    ],
    [
      'Modèle;Quantité;Client;Échéance;Prix;Devise;N° de commande',
      ['model_name', 'quantity_pieces', 'customer_name', 'due_date', 'price', 'currency', 'order_number'],
    ],
    [
      'Наименование;Кол-во;Заказчик;Срок сдачи;Цена;Валюта;№ заказа;Комментарий',
      [
        'model_name',
        'quantity_pieces',
        'customer_name',
        'due_date',
        'price',
        'currency',
        'order_number',
        'order_notes',
      ],
    ],
    ['Vorname;Nachname;Produkt', ['customer_name', 'customer_name', 'model_name']],
  ])('%s are recognized', (headings, targets) => {
    expect(Object.values(mapped(headings))).toEqual(targets);
  });

  test('of exports of shops are recognized', () => {
    expect(mapped(SHOPIFY)).toEqual({
      Name: 'order_number',
      Email: 'customer_contact',
      Currency: 'currency',
      'Lineitem quantity': 'quantity_pieces',
      'Lineitem name': 'model_name',
      'Lineitem price': 'unit_price',
      'Billing Name': 'customer_name',
      Notes: 'order_notes',
    });
    expect(mapped(ETSY)).toEqual({
      'Item Name': 'model_name',
      Quantity: 'quantity_pieces',
      'Item Total': 'price',
      Currency: 'currency',
      'Ship Name': 'customer_name',
      'Order ID': 'order_number',
      Variations: 'model_name',
    });
    expect(mapped(WOOCOMMERCE)).toEqual({
      'Order Number': 'order_number',
      'Customer Note': 'order_notes',
      'First Name (Billing)': 'customer_name',
      'Last Name (Billing)': 'customer_name',
      'Email (Billing)': 'customer_contact',
      'Item Name': 'model_name',
      'Quantity (- Refund)': 'quantity_pieces',
      'Item Cost': 'unit_price',
    });
  });

  test('of IDs, statuses and colors are recognized by their cells, too', () => {
    const headings = 'Model;Id;Status;Color';
    expect(Object.values(mapped(headings, 'Vase;4411;fulfilled;midnight'))).toEqual(['model_name']);
    const id = '1a2b3c4d-0e5f-4a6b-8c7d-90ab12cdef34';
    expect(Object.values(guessMapping(read(`${headings}\nVase;${id};Printing;1E90FF\n`)))).toEqual([
      'model_name',
      'id',
      'workflow_status',
      'color_hex',
    ]);
  });
});

describe('further items of an order', () => {
  const SHOP = 'Name,Email,Currency,Lineitem quantity,Lineitem name,Lineitem price,Billing Name\n';

  test('take what their row lacks from the order whose number they repeat', () => {
    const planned = planOf(
      `${SHOP}#1001,ann@a.example,EUR,2,Bracket,5.00,Ann\n#1001,ann@a.example,,3,Hook,3.00,\n#1002,,,1,Vase,,\n`,
    );
    expect([planned.open, planned.steps.map(({ head }) => head)]).toEqual([[], [undefined, 2, undefined]]);
    expect(bodies(planned).slice(1)).toEqual([
      {
        model_name: 'Hook',
        quantity_pieces: 3,
        price: 900,
        currency: 'EUR',
        customer_name: 'Ann',
        customer_contact: 'ann@a.example',
      },
      { model_name: 'Vase', quantity_pieces: 1 },
    ]);
  });

  test('are asked about if the file has no numbers of orders', () => {
    const file =
      'model_name,quantity_pieces,price,currency,customer_name\nBracket,2,5.00,EUR,Ann\nHook,1,3.00,,\nLid,1,,,\nVase,1,9.00,EUR,Bob\n';
    const unanswered = planOf(file);
    expect(unanswered.questions).toEqual([
      { about: 'continues', isProven: false, targets: ['customer_name', 'currency'], rows: [3, 4] },
    ]);
    expect([unanswered.open, bodies(unanswered)[1]]).toEqual([['continues'], 'fault']);
    expect(bodies(planOf(file, { continues: true }))).toMatchObject([
      { customer_name: 'Ann' },
      { model_name: 'Hook', customer_name: 'Ann', price: 300, currency: 'EUR' },
      { model_name: 'Lid', customer_name: 'Ann' },
      { customer_name: 'Bob' },
    ]);
    expect(bodies(planOf(file, { continues: false }))[2]).toEqual({ model_name: 'Lid', quantity_pieces: 1 });
  });
});

describe('a file that was imported before', () => {
  const file = 'model_name,quantity_pieces,customer_name\nVase,2,Ann\nVase,2,Ann\nLid,1,Bob\n';
  const order = {
    id: 'x',
    model_name: 'Vase',
    quantity_pieces: 2,
    customer_name: 'Ann',
    customer_contact: null,
    price: null,
  };
  const known = (...existing: object[]): Known => ({ ...NOTHING, existing: existing as Order[] });

  test('is noticed by its orders, each of which counts for one row', () => {
    const planned = planOf(file, {}, known(order));
    expect(planned.questions).toMatchObject([{ about: 'repeats', rows: [2], order: { id: 'x' } }]);
    expect(planned.open).toEqual(['repeats']);
    expect(planOf(file, {}, known(order, { ...order, workflow_status: 'done' })).questions).toMatchObject([
      { rows: [2, 3] },
    ]);
    expect(planOf(file, {}, known({ ...order, quantity_pieces: 3 }, { ...order, price: 500 })).questions).toEqual([]);
  });

  test('creates its orders again only if that is wanted', () => {
    const actions = (repeats: boolean) => planOf(file, { repeats }, known(order)).steps.map(({ action }) => action);
    expect([actions(false), actions(true)]).toEqual([
      ['skip', 'create', 'create'],
      ['create', 'create', 'create'],
    ]);
  });
});

const SHOPIFY =
  'Name,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Accepts Marketing,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Shipping Method,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem compare at price,Lineitem sku,Lineitem requires shipping,Lineitem taxable,Lineitem fulfillment status,Billing Name,Billing Street,Billing Phone,Shipping Name,Shipping Street,Notes,Note Attributes,Vendor,Id,Tags,Phone';
const ETSY =
  'Sale Date,Item Name,Buyer,Quantity,Price,Coupon Code,Coupon Details,Discount Amount,Shipping Discount,Order Shipping,Order Sales Tax,Item Total,Currency,Transaction ID,Listing ID,Date Paid,Date Shipped,Ship Name,Ship Address1,Ship City,Ship Country,Order ID,Variations,Order Type,SKU';
const WOOCOMMERCE =
  'Order Number,Order Status,Order Date,Customer Note,First Name (Billing),Last Name (Billing),Company (Billing),Email (Billing),Phone (Billing),First Name (Shipping),Last Name (Shipping),Order Total Amount,SKU,Item #,Item Name,Quantity (- Refund),Item Cost';

/** A generated file, what it says, and what its owner would answer. */
interface Generated {
  text: string;
  orders: Partial<Record<Target | 'price', unknown>>[];
  answers: Required<Pick<Answers, 'mark' | 'dayOrder' | 'continues'>>;
}

function generate(random: ReturnType<typeof createRandom>): Generated {
  const { pick, between, next } = random;
  const mark = pick(['.', ','] as const);
  const group = pick(['', '', mark === '.' ? ',' : '.', ' ', '\u00A0', '\u202F', "'"]);
  const dayOrder = pick(['dayFirst', 'monthFirst'] as const);
  const delimiter = pick([',', ';', '\t', '|']);
  const eol = pick(['\n', '\r\n']);
  const money = pick(['EUR', 'USD', 'JPY', 'KWD']);
  const places = { EUR: 2, USD: 2, JPY: 0, KWD: 3 }[money] ?? 2;
  const isShop = next() < 0.4;

  const quote = (cell: string) =>
    /["\r\n]/.test(cell) || cell.includes(delimiter) || next() < 0.2 ? `"${cell.replaceAll('"', '""')}"` : cell;
  const line = (cells: string[]) => cells.map(quote).join(delimiter);

  /** @param units whole units of 10^-decimals */
  function number(units: number, decimals: number): string {
    const digits = String(units).padStart(decimals + 1, '0');
    const whole = digits.slice(0, digits.length - decimals);
    const fraction = digits.slice(digits.length - decimals);
    const short = next() < 0.5 ? fraction.replace(/0+$/, '') : fraction;
    const grouped = next() < 0.7 ? whole.replace(/\B(?=(\d{3})+$)/g, group) : whole;
    return short === '' ? grouped : `${grouped}${mark}${short}`;
  }
  function date(iso: string): string {
    const [year = '', month = '', day = ''] = iso.split('-');
    const parts = dayOrder === 'dayFirst' ? [day, month] : [month, day];
    const slashes = `${parts.join('/')}/${next() < 0.3 ? year.slice(2) : year}`;
    return pick([iso, `${day}.${month}.${year}`, slashes, slashes, slashes]);
  }
  const two = (value: number) => String(value).padStart(2, '0');
  const amount = () => pick([between(0, 999), between(1000, 9999), between(10_000, 999_999), between(1, 99) * 1000]);

  const headings: Record<string, string[]> = {
    model_name: ['model_name', 'Model', 'Artikel', 'Produit', 'Наименование', 'Name'],
    quantity_pieces: ['quantity_pieces', 'Qty', 'Stückzahl', 'Quantité', 'Кол-во'],
    material_grams: ['material_grams', 'Material (g)', 'Grams', 'Gramm', 'Grammes', 'Вес, г'],
    print_hours: ['print_hours', 'Hours', 'Druckzeit (h)', 'Heures', 'Часы'],
    due_date: ['due_date', 'Due date', 'Liefertermin', 'Échéance', 'Срок'],
    customer_name: ['customer_name', 'Customer', 'Kunde', 'Client', 'Заказчик'],
    price: ['price', 'Price', 'Preis', 'Prix', 'Цена'],
    currency: ['currency', 'Currency', 'Währung', 'Devise', 'Валюта'],
    order_notes: ['order_notes', 'Notes', 'Bemerkung', 'Remarques', 'Примечание'],
  };
  const names = ['Wall bracket', 'Vase, "tall"', 'Ёлка №5', 'Halter; groß', '=SUM(1)', 'Pièce\n2', '1.234', 'a|b\tc'];

  const orders: Generated['orders'] = [];
  const lines: string[] = [];
  if (isShop) {
    lines.push(
      line([
        'Name',
        'Email',
        'Currency',
        'Lineitem quantity',
        'Lineitem name',
        'Lineitem price',
        'Billing Name',
        'Id',
        'Notes',
      ]),
    );
    for (let order = 1; order <= between(1, 4); order += 1) {
      const customer = {
        customer_contact: `c${order}@shop.example`,
        customer_name: `Customer ${order}`,
        order_notes: `note ${order}`,
      };
      for (let item = 0; item < between(1, 3); item += 1) {
        const [model_name, quantity_pieces, units] = [pick(names), between(1, 30), amount()];
        orders.push({ model_name, quantity_pieces, price: units * quantity_pieces, currency: money, ...customer });
        const own = (text: string) => (item === 0 ? text : '');
        lines.push(
          line([
            `#${1000 + order}`,
            customer.customer_contact,
            own(money),
            String(quantity_pieces),
            model_name,
            number(units, places),
            own(customer.customer_name),
            own(String(5_000_000_000 + order)),
            own(customer.order_notes),
          ]),
        );
      }
    }
  } else {
    const columns = ['model_name', ...Object.keys(headings).filter((name) => name !== 'model_name' && next() < 0.7)];
    if (columns.includes('price') && !columns.includes('currency')) columns.push('currency');
    lines.push(line(columns.map((column) => pick(headings[column] ?? []))));
    for (let row = 0; row < between(1, 6); row += 1) {
      const [grams, hours, price, quantity_pieces] = [amount(), amount(), amount(), between(1, 5000)];
      const values: Record<string, [unknown, string]> = {
        model_name: [pick(names), ''],
        quantity_pieces: [quantity_pieces, number(quantity_pieces, 0)],
        material_grams: [grams / 1000, number(grams, 3)],
        print_hours: [hours / 1000, number(hours, 3)],
        due_date: [`20${between(26, 40)}-${two(between(1, 12))}-${two(between(1, 28))}`, ''],
        customer_name: [`Customer ${row}`, ''],
        price: [price, number(price, places)],
        currency: [money, ''],
        order_notes: [pick(['two\nlines', 'x', '1,234']), ''],
      };
      const due = values.due_date;
      if (due) due[1] = date(String(due[0]));
      orders.push(Object.fromEntries(columns.map((column) => [column, values[column]?.[0]])));
      lines.push(line(columns.map((column) => values[column]?.[1] || String(values[column]?.[0]))));
    }
  }
  const start = [
    pick(['', '\uFEFF']),
    next() < 0.2 ? `sep=${delimiter}${eol}` : '',
    next() < 0.2 ? `Orders of November${eol}${eol}` : '',
  ];
  return { text: start.join('') + lines.join(eol) + eol, orders, answers: { mark, dayOrder, continues: true } };
}

/** What the preview should say, computed from the values alone. */
function expectedTexts(order: Generated['orders'][number], language: 'en' | 'ru') {
  const { price, currency, due_date } = order as { price?: number; currency?: string; due_date?: string };
  const plain = (value: unknown) =>
    value === undefined ? undefined : String(value).replace('.', language === 'ru' ? ',' : '.');
  const places = { JPY: 0, KWD: 3 }[currency ?? ''] ?? 2;
  const amount =
    price === undefined
      ? currency
      : new Intl.NumberFormat(language, { style: 'currency', currency: currency ?? '' }).format(price / 10 ** places);
  const day =
    due_date && new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(due_date));
  return {
    model_name: order.model_name,
    customer_name: order.customer_name,
    customer_contact: order.customer_contact,
    order_notes: order.order_notes,
    quantity_pieces: plain(order.quantity_pieces),
    material_grams: plain(order.material_grams),
    print_hours: plain(order.print_hours),
    price: amount,
    due_date: day,
  } as Record<string, unknown>;
}

test('writes what generated files say and the preview shows, and guesses nothing', () => {
  const seed = seedFrom('CSV_SEED');
  const random = createRandom(seed);
  const seen = { files: 0, questions: 0 };
  for (let index = 0; index < times(200, 20_000); index += 1) {
    const { text, orders, answers } = generate(random);
    const context = { seed, index, text };
    const table = read(text);
    const mapping = guessMapping(table);
    // before an answer, what is unclear can't be written
    const unanswered = plan(table, mapping, {}, NOTHING);
    const written = unanswered.steps.flatMap((step, row) =>
      step.action === 'create' ? [[step.body, orders[row]]] : [],
    );
    for (const [body, said] of written) expect({ ...context, order: body }).toEqual({ ...context, order: said });

    const given = Object.fromEntries(unanswered.open.map((about) => [about, answers[about as keyof typeof answers]]));
    const { steps, open } = plan(table, mapping, given, NOTHING);
    expect({ ...context, open, orders: steps.map(bodyOf) }).toEqual({ ...context, open: [], orders });
    const language = index % 2 === 0 ? 'en' : 'ru';
    const [messages, csv] = [COMMON_MESSAGES[language], MESSAGES[language]];
    const format: Format = { locale: language, messages, csv, printers: [] };
    steps.forEach((step, row) => {
      const texts = expectedTexts(orders[row] ?? {}, language);
      for (const column of shownColumns(mapping)) {
        const { text: shown } = shownValue(column, step, format);
        expect({ ...context, column, shown }).toEqual({ ...context, column, shown: texts[column] });
      }
    });
    // the server stores what was sent
    for (const step of steps) if (step.action === 'create') expect(NewOrder.parse(step.body)).toMatchObject(step.body);
    seen.files += 1;
    seen.questions += unanswered.open.length;
  }
  expect(seen.questions).toBeGreaterThan(seen.files / 10);
});

describe('orders of a shop', () => {
  const HEAD = 'source;external_id;model_name;quantity_pieces\n';
  const order = {
    id: '01996f3e-7d4a-7c11-9b52-3f0a6c8e1d02',
    source: 'shopify',
    external_id: '5001',
    model_name: 'Vase',
    quantity_pieces: 1,
  } as Order;
  const known = { ...NOTHING, existing: [order] };

  test('are created, changed or left as they are, by the ID they have there', () => {
    const planned = planOf(`${HEAD}shopify;5001;Vase;2\netsy;5001;Vase;1\nshopify;5002;Vase;1\n`, {}, known);
    expect(planned.mapping).toEqual(['source', 'external_id', 'model_name', 'quantity_pieces']);
    expect(planned.open).toEqual([]);
    expect(
      planned.steps.map((step) => (step.action === 'update' ? [step.order.id, step.patch] : bodyOf(step))),
    ).toEqual([
      [order.id, { quantity_pieces: 2 }],
      { source: 'etsy', external_id: '5001', model_name: 'Vase', quantity_pieces: 1 },
      { source: 'shopify', external_id: '5002', model_name: 'Vase', quantity_pieces: 1 },
    ]);
    expect(planOf(`${HEAD}shopify;5001;Vase;1\n`, {}, known).steps.map(({ action }) => action)).toEqual(['same']);
    // the ID is enough to find one
    const [changed] = planOf('source;external_id;quantity_pieces\nshopify;5001;3\n', {}, known).steps;
    expect(changed).toMatchObject({ action: 'update', patch: { quantity_pieces: 3 } });
  });

  test('need both names, each pair once', () => {
    const { steps } = planOf(`${HEAD}shopify;;A;1\n;7;A;1\nx;1;A;1\nx;1;B;1\n;;C;1\n${'x'.repeat(101)};1;A;1\n`);
    expect(steps.map((step) => (step.action === 'fault' ? step.faults : step.action))).toEqual([
      [{ target: 'external_id', kind: 'empty' }],
      [{ target: 'source', kind: 'empty' }],
      'create',
      [{ target: 'external_id', kind: 'externalTwice' }],
      'create',
      [{ target: 'source', kind: 'long' }],
    ]);
  });
});

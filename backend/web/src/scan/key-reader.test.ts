import fc from 'fast-check';
import { times } from '../../../../test/kit/length';
import { createKeyReader, takeLateEnding } from './key-reader';

const ID = '1a2b3c4d-0e5f-4a6b-8c7d-90ab12cdef34';
const LABEL = `ORDER-${ID}`;
const OTHER = '018f6f2e-0000-7000-8000-00000000000a';
/** After this time a scan is over. */
const PAUSE_MS = 2000;
/** Between the keys of a scanner. */
const GAP_MS = 10;

interface Press {
  key?: string;
  code?: string;
  shiftKey?: boolean;
  ctrlKey?: boolean;
  repeat?: boolean;
}

const ENTER: Press = { key: 'Enter', code: 'Enter' };
const TAB: Press = { key: 'Tab', code: 'Tab' };
const control = (letter: string): Press => ({ key: letter.toLowerCase(), code: `Key${letter}`, ctrlKey: true });
const ENDINGS: Record<string, Press[]> = {
  Enter: [ENTER],
  Tab: [TAB],
  'Enter of the numeric keypad': [{ key: 'Enter', code: 'NumpadEnter' }],
  'CR and LF': [ENTER, control('J')],
  ETX: [control('C')],
  EOT: [control('D')],
  'no ending': [],
};

/** Goes on from test to test, as the clock of a page does. */
let now = 0;
function pass(ms: number) {
  now += ms;
  jest.advanceTimersByTime(ms);
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  pass(PAUSE_MS);
  jest.useRealTimers();
});

function eventOf(press: Press) {
  let isTaken = false;
  const event = {
    key: '',
    code: '',
    shiftKey: false,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    repeat: false,
    ...press,
    timeStamp: now,
    preventDefault() {
      isTaken = true;
    },
    stopPropagation() {},
  };
  return { event: event as unknown as KeyboardEvent, isTaken: () => isTaken };
}

/** A reader, and a hand that types. */
function start() {
  const scanned: string[] = [];
  const unreadable: string[] = [];
  const reader = createKeyReader({
    onScan: (label) => scanned.push(label),
    onUnreadable: (text) => unreadable.push(text),
  });
  /** @returns whether the page took each key */
  function type(presses: Press[], gap = GAP_MS): boolean[] {
    return presses.map((press) => {
      pass(gap);
      const { event, isTaken } = eventOf(press);
      reader.handleKeyDown(event);
      return isTaken();
    });
  }
  const wait = () => pass(PAUSE_MS);
  return { scanned, unreadable, type, wait };
}

/** Places on a US keyboard. */
const PLACES: Record<string, string> = { '-': 'Minus', ']': 'BracketRight', ' ': 'Space', '#': 'Digit3', '/': 'Slash' };

/** What layouts give for the places of a label: all but a few give what a US keyboard does, or other characters. */
const LAYOUTS: Record<string, Record<string, string>> = {
  US: {},
  AZERTY: { ...pairs('1234567890-', '&é"\'(-è_çà)'), ...pairs('aqAQ', 'qaQA') },
  Cyrillic: pairs('abcdeforABCDEFOR', 'фисвуащкФИСВУАЩК'),
  Hebrew: pairs('abcdefor', 'שנבגקכםר'),
  'an input method': pairs(
    'abcdeforABCDEFOR1234567890-',
    Array.from('abcdeforABCDEFOR1234567890-', () => 'Process'),
  ),
};
const LAYOUT_NAMES = Object.keys(LAYOUTS);

function pairs(from: string, to: string | string[]) {
  return Object.fromEntries(Array.from(from, (character, i) => [character, to[i] ?? '']));
}

/** The keys that a scanner set to a US keyboard presses, on a computer with a layout. */
function keysOf(text: string, layout = 'US', capsLock = false): Press[] {
  return Array.from(text, (character) => {
    const isLetter = /[a-z]/i.test(character);
    const shiftKey = /[A-Z#]/.test(character);
    const code = PLACES[character] ?? (isLetter ? `Key${character.toUpperCase()}` : `Digit${character}`);
    const shown = capsLock && isLetter ? (shiftKey ? character.toLowerCase() : character.toUpperCase()) : character;
    return { key: LAYOUTS[layout]?.[shown] ?? shown, code, shiftKey };
  });
}

describe('a scan through the layout of the computer', () => {
  test.each(LAYOUT_NAMES)('%s: every label, ending and state of Caps Lock', (computer) => {
    const { scanned, type, wait } = start();
    for (const [name, ending] of Object.entries(ENDINGS))
      for (const capsLock of [false, true])
        for (const text of [LABEL, LABEL.toUpperCase(), LABEL.toLowerCase(), ID, `]Q1${LABEL}`]) {
          const keys = keysOf(text, computer, capsLock);
          type([control('B'), ...keys]);
          const taken = type(ending);
          wait();
          expect([name, capsLock, text, ...scanned.splice(0)]).toEqual([name, capsLock, text, LABEL]);
          expect(taken).toEqual(ending.map(() => true));
        }
  });

  test('any ID is read as itself', () => {
    const { scanned, type, wait } = start();
    const typing = fc.record({
      id: fc.uuid(),
      computer: fc.constantFrom(...LAYOUT_NAMES),
      capsLock: fc.boolean(),
      ending: fc.constantFrom(...Object.values(ENDINGS)),
    });
    fc.assert(
      fc.property(typing, ({ id, computer, capsLock, ending }) => {
        type([...keysOf(`ORDER-${id}`, computer, capsLock), ...ending]);
        wait();
        expect(scanned.splice(0)).toEqual([`ORDER-${id}`]);
      }),
    );
  });
});

describe('a scan', () => {
  const numpad = (key: Press): Press => ({
    ...key,
    code: key.code?.replace('Digit', 'Numpad').replace('Minus', 'NumpadSubtract') ?? '',
  });

  test.each<[string, Press[]]>([
    ['with the numeric keypad', keysOf(LABEL, 'AZERTY').map(numpad)],
    [
      'with the numeric keypad without Num Lock',
      keysOf(LABEL, 'Cyrillic').map((key) => (key.code?.startsWith('Digit') ? { ...numpad(key), key: 'End' } : key)),
    ],
    ['with Shift and Caps Lock as keys', [{ key: 'Shift', code: 'ShiftLeft' }, ...keysOf(LABEL), { key: 'CapsLock' }]],
    ['with a function key before it', [{ key: 'F8', code: 'F8' }, ...keysOf(LABEL)]],
    ['after other keys', [...keysOf('x1-'), ...keysOf(LABEL, 'Cyrillic')]],
    ['with a suffix', [...keysOf(LABEL), ...keysOf(' #')]],
    ['after another one that had no ending', [...keysOf(`ORDER-${OTHER}`), ...keysOf(LABEL)]],
  ])('%s', (_name, keys) => {
    const { scanned, type, wait } = start();
    for (const ending of [[ENTER], [TAB], []]) {
      type([...keys, ...ending]);
      wait();
      expect(scanned.splice(0)).toEqual([LABEL]);
    }
  });

  test('from a slow scanner', () => {
    const { scanned, type, wait } = start();
    type([...keysOf(LABEL), ENTER], 900);
    type(keysOf(LABEL), 110);
    wait();
    expect(scanned).toEqual([LABEL, LABEL]);
    // this is a person
    type(keysOf(LABEL), 200);
    wait();
    type([...keysOf(LABEL), ENTER], 1100);
    expect(scanned).toHaveLength(2);
  });

  test('keeps its keys from shortcuts and buttons, and no others', () => {
    const { type, wait } = start();
    const keys = keysOf(LABEL, 'AZERTY');
    expect(type(keys)).toEqual(keys.map((_, index) => index > 'ORDER-'.length - 1));
    expect(type([TAB, ENTER, control('J')])).toEqual([true, true, true]);
    // also in a field of the dialog that it opened
    const late = eventOf(ENTER);
    expect([takeLateEnding(late.event), late.isTaken()]).toEqual([true, true]);
    wait();
    expect(type([ENTER, TAB, control('C'), ...keysOf('order 12')])).not.toContain(true);
    expect(takeLateEnding(eventOf(ENTER).event)).toBe(false);
    // without an ending, one that comes later is part of it
    type(keys);
    pass(400);
    expect(type([ENTER])).toEqual([true]);
  });

  test.each(['4006381333931', '96118'.repeat(7).slice(3), 'https://farm.example/', `${ID}0`, ID.replaceAll('-', ' ')])(
    'of another code is left alone: %s',
    (text) => {
      const { scanned, unreadable, type, wait } = start();
      expect(type([...keysOf(text), ENTER, ...keysOf(text)])).not.toContain(true);
      wait();
      expect([scanned, unreadable]).toEqual([[], []]);
    },
  );

  const german = keysOf(LABEL.slice(0, -1)).map((key) => (key.code === 'Minus' ? { ...key, code: 'Slash' } : key));
  // its digits need Shift, `-` doesn't, and A and Q have changed places
  const french = keysOf(LABEL).map(({ code = '', ...key }) => ({
    ...key,
    code: code === 'Minus' ? 'Digit6' : code.replace('KeyA', 'KeyQ'),
    shiftKey: code !== 'Minus',
  }));

  test.each<[string, Press[], string]>([
    ['cut off', keysOf(LABEL.slice(0, -2), 'AZERTY'), LABEL.slice(0, -2).toLowerCase()],
    ['with a digit too many', keysOf(`ORDER-${ID}0`), `order-${ID}0`],
    ['from a French scanner', french, 'order6!q@b#c$d6)e%f6$q^b6*c&d6()qb!@cdef#$'],
  ])('that can’t be read is handed over as text: %s', (_name, keys, text) => {
    const { scanned, unreadable, type, wait } = start();
    expect(type([...keys, ENTER]).at(-1)).toBe(true);
    wait();
    expect([scanned, unreadable]).toEqual([[], [text]]);
  });

  test('of a scanner whose only other key is that of the hyphen is read', () => {
    const { scanned, type } = start();
    type([...german, ...keysOf('4'), ENTER]);
    expect(scanned).toEqual([LABEL]);
  });
});

test('what people type is never a scan', () => {
  const { scanned, unreadable, type, wait } = start();
  const text = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.lorem({ maxCount: 8 }),
    fc.stringMatching(/^[0-9a-f-]{30,60}$/),
    fc.stringMatching(/^(order|Order|ORDER)[ #:-]?[0-9]{1,12}( [a-z]{2,8}){0,4}$/),
    fc.stringMatching(/^\+?[0-9 -]{30,50}$/),
  );
  const typing = fc.record({
    text,
    computer: fc.constantFrom(...LAYOUT_NAMES),
    gap: fc.integer({ min: 20, max: 400 }),
    ending: fc.constantFrom(...Object.values(ENDINGS)),
  });
  fc.assert(
    fc.property(typing, ({ text, computer, gap, ending }) => {
      const taken = type([...keysOf(text, computer), ...ending], gap);
      wait();
      expect([scanned, unreadable]).toEqual([[], []]);
      expect(taken.slice(taken.length - ending.length)).not.toContain(true);
    }),
    { numRuns: times(1_000, 10_000) },
  );
});

import fc from 'fast-check';
import { type Key, LAYOUT_NAMES, type LayoutName, typeText } from '../../../../test/kit/keyboards';
import { times } from '../../../../test/kit/length';
import { createKeyReader, type KeyReader, takeLateEnding } from './key-reader';

const ID = '1a2b3c4d-0e5f-4a6b-8c7d-90ab12cdef34';
const LABEL = `ORDER-${ID}`;
const OTHER = '018f6f2e-0000-7000-8000-00000000000a';
/** After this time a scan is over. */
const PAUSE_MS = 2000;
/** Between the keys of a scanner. */
const GAP_MS = 10;

interface Press extends Partial<Key> {
  ctrlKey?: boolean;
  altKey?: boolean;
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
    getModifierState: () => false,
    preventDefault() {
      isTaken = true;
    },
    stopPropagation() {},
  };
  return { event: event as unknown as KeyboardEvent, isTaken: () => isTaken };
}

/** A reader, and a hand that types. */
function start({ isField = false } = {}) {
  const scanned: string[] = [];
  const unreadable: string[] = [];
  const reader: KeyReader = createKeyReader({
    onScan: (label) => scanned.push(label),
    ...(!isField && { onUnreadable: (text) => unreadable.push(text) }),
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
  return { scanned, unreadable, reader, type, wait };
}

function keysOf(text: string, computer: LayoutName = 'us', capsLock = false, scanner: LayoutName = 'us'): Key[] {
  return typeText(text, { computer, scanner, capsLock }) ?? [];
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

  test.each(LAYOUT_NAMES)('%s: from a scanner that is set to it', (computer) => {
    const { scanned, type, wait } = start();
    const keys = keysOf(LABEL, computer, false, computer);
    for (const ending of Object.values(ENDINGS)) {
      type([...keys, ...ending]);
      wait();
      // other alphabets have no keys for a label
      expect(scanned.splice(0)).toEqual(keys.length > 0 ? [LABEL] : []);
    }
  });

  test('any ID is read as itself', () => {
    const { scanned, type, wait } = start();
    const typing = fc.record({
      id: fc.uuid(),
      computer: fc.constantFrom(...LAYOUT_NAMES),
      isSetToIt: fc.boolean(),
      capsLock: fc.boolean(),
      ending: fc.constantFrom(...Object.values(ENDINGS)),
    });
    fc.assert(
      fc.property(typing, ({ id, computer, isSetToIt, capsLock, ending }) => {
        const keys = isSetToIt && !capsLock ? keysOf(`ORDER-${id}`, computer, false, computer) : [];
        type([...(keys.length > 0 ? keys : keysOf(`ORDER-${id}`, computer, capsLock)), ...ending]);
        wait();
        expect(scanned.splice(0)).toEqual([`ORDER-${id}`]);
      }),
      {
        numRuns: times(1000, 10_000),
        // the place of the French `-` is that of 6, and `a` ends what then looks like 32 digits
        examples: [
          [
            {
              id: '00000000-0000-1000-8000-0000929a0000',
              computer: 'French',
              isSetToIt: true,
              capsLock: false,
              ending: [ENTER],
            },
          ],
        ],
      },
    );
  });
});

describe('a scan', () => {
  const withoutCode = keysOf(LABEL).map((key) => ({ ...key, code: '' }));
  const numpad = (key: Key): Key => ({
    ...key,
    code: key.code.replace('Digit', 'Numpad').replace('Minus', 'NumpadSubtract'),
  });

  test.each<[string, Press[]]>([
    ['as an input method hides it', keysOf(LABEL).map((key) => ({ ...key, key: 'Process' }))],
    ['from a device that doesn’t tell places', withoutCode],
    [
      'from a device that doesn’t tell places, in Russian',
      keysOf(LABEL, 'Russian').map((key) => ({ ...key, code: '' })),
    ],
    ['with the numeric keypad', keysOf(LABEL, 'French').map(numpad)],
    [
      'with the numeric keypad without Num Lock',
      keysOf(LABEL, 'Czech').map((key) => (key.code.startsWith('Digit') ? { ...numpad(key), key: 'End' } : key)),
    ],
    ['with Shift and Caps Lock as keys', [{ key: 'Shift', code: 'ShiftLeft' }, ...keysOf(LABEL), { key: 'CapsLock' }]],
    ['with a function key before it', [{ key: 'F8', code: 'F8' }, ...keysOf(LABEL)]],
    ['after other keys', [...keysOf('x1-'), ...keysOf(LABEL, 'Dvorak')]],
    ['with a suffix', [...keysOf(LABEL), ...keysOf(' #')]],
    ['after another one that had no ending', [...keysOf(`ORDER-${OTHER}`), ...keysOf(LABEL)]],
    [
      'with Arabic characters that are two',
      keysOf(LABEL, 'Arabic').map((key) => (key.key === 'ﻻ' ? { ...key, key: 'لا' } : key)),
    ],
  ])('%s', (_name, keys) => {
    const { scanned, type, wait } = start();
    for (const ending of [[ENTER], [TAB], []]) {
      type([...keys, ...ending]);
      wait();
      expect(scanned.splice(0)).toEqual([LABEL]);
    }
  });

  test('by numbers of characters', () => {
    const { scanned, reader, type, wait } = start();
    const typeNumber = (character: string) => {
      const digits = Array.from(`0${character.charCodeAt(0)}`, (digit) => ({
        key: digit,
        code: `Numpad${digit}`,
        altKey: true,
      }));
      type([{ key: 'Alt', code: 'AltLeft', altKey: true }, ...digits]);
      reader.handleKeyUp(eventOf({ key: 'Alt', code: 'AltLeft' }).event);
    };
    for (const ending of ['\r', '\t', '\u0003', '']) {
      for (const character of `\u0002${LABEL}${ending}`) typeNumber(character);
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
    const keys = keysOf(LABEL, 'French');
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

  test('that can’t be read is handed over as text', () => {
    const { scanned, unreadable, type, wait } = start();
    const half = keysOf(LABEL.slice(0, -2), 'Czech');
    expect(type([...half, ENTER]).at(-1)).toBe(true);
    wait();
    expect([scanned, unreadable]).toEqual([[], [half.map(({ key }) => key).join('')]]);
    type([...keysOf(`ORDER-${ID}0`), ENTER]);
    expect(unreadable).toHaveLength(2);
  });
});

describe('a scan in a text field', () => {
  test.each(LAYOUT_NAMES)('%s: leaves every key to the field but the ending', (computer) => {
    const { scanned, type, wait } = start({ isField: true });
    for (const ending of Object.values(ENDINGS)) {
      const taken = type([...keysOf(LABEL, computer), ...ending]);
      wait();
      expect(scanned.splice(0)).toEqual([LABEL]);
      expect(taken).toEqual([...LABEL].map(() => false).concat(ending.map(() => true)));
    }
  });

  test('is read after a browser has filled in a field, with events that have no key and no kind', () => {
    const { scanned, reader, type, wait } = start({ isField: true });
    type([{ key: undefined } as unknown as Press]);
    reader.handleInput({ data: null, timeStamp: now });
    type([...keysOf(LABEL, 'Czech'), TAB]);
    wait();
    expect(scanned).toEqual([LABEL]);
  });

  test('is read from text that comes without keys', () => {
    const { scanned, reader, type, wait } = start({ isField: true });
    const insert = (data: string, inputType = 'insertText') =>
      reader.handleInput({ inputType, data, timeStamp: now } as InputEvent);
    for (const character of LABEL) {
      type([{ key: 'Unidentified' }]);
      insert(character);
    }
    wait();
    insert(LABEL);
    type([TAB]);
    expect(scanned.splice(0)).toEqual([LABEL, LABEL]);
    wait();
    // a person opens or changes this
    insert(LABEL, 'insertFromPaste');
    insert(LABEL);
    insert('', 'deleteContentBackward');
    wait();
    expect(scanned).toEqual([]);
    // keys that are known aren't counted again
    for (const key of keysOf(LABEL)) {
      type([key]);
      insert(key.key);
    }
    wait();
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
    { numRuns: 10_000 },
  );
});

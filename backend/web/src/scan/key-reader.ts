import { guessLayout, readKeys } from './read-label';

/** Maximum pause between keys of one scan, generous for slow wireless scanners. */
const MAX_PAUSE_MS = 1000;
/** Maximum pause between keys of a scan without an ending. Nobody types a whole label that fast. */
const MAX_FAST_PAUSE_MS = 150;
/** A scan without an ending is over after this time. Endings that come later than the first are part of it, too. */
const END_MS = 300;
/** More than a label with a prefix and a suffix, and less than two IDs. */
const MAX_KEYS = 60;
/** Keys of an ID without its hyphens. */
const MIN_KEYS = 32;

/** A key of a scan, as a US keyboard types it by its place, and as the computer's layout does. */
interface Typed {
  place: string;
  character: string;
  at: number;
}

const MODIFIERS = new Set(['Shift', 'CapsLock', 'NumLock', 'Control', 'Alt', 'AltGraph', 'Meta', 'Fn', 'OS']);
const PLACES: Record<string, string> = { Minus: '-', NumpadSubtract: '-', BracketRight: ']', Space: ' ' };

/** Only what a label has: Shift doesn't matter, because its digits are typed without it and capitals are equal. */
const placeOf = (code: string): string | undefined =>
  /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1] ?? PLACES[code];

/** One character, or several that are one key: Arabic `لا`. Names of other keys are Latin words: `Dead`, `Process`. */
const isCharacter = (key: string) => Array.from(key).length === 1 || /^\P{ASCII}+$/u.test(key);

/** Unknown, but a character of the text all the same. */
const UNKNOWN = '\ufffd';

const isCommand = (event: KeyboardEvent) =>
  (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph');

function read(event: KeyboardEvent): Typed | undefined {
  const { key, code, timeStamp: at } = event;
  const place = placeOf(code);
  const character = isCharacter(key) ? key : undefined;
  // what is a character in another state of Num Lock, of a dead key or of an input method
  if (isCommand(event) || (place === undefined && character === undefined && key !== 'Dead')) return undefined;
  return { place: place ?? (code ? UNKNOWN : (character ?? UNKNOWN)), character: character ?? place ?? UNKNOWN, at };
}

const isEndingKey = (key: string) => /^(Numpad)?Enter$|^Tab$/.test(key);

/** Enter, Tab, and the control characters ETX, EOT, Tab, LF and CR as scanners type them: Ctrl+C, D, I, J and M. */
const isEnding = ({ key, code, ctrlKey, altKey, metaKey }: KeyboardEvent) =>
  isEndingKey(key) || isEndingKey(code) || (ctrlKey && !altKey && !metaKey && /^(Key)?[CDIJM]$/i.test(code || key));

/** A scanner that types by the numbers of characters holds Alt: `Alt+079` is `O`. */
const isAltDigit = ({ altKey, code }: KeyboardEvent) => altKey && /^Numpad\d$/.test(code);

/** What was typed so far is the beginning of a label, so that its keys mean nothing else. */
const isInLabel = (text: string) => /order[^0-9a-z\s]?[0-9a-f]/i.test(text);

/** Much of a label, which has no spaces, but not all of it or more. */
const isMuchOfLabel = (text: string) =>
  /order-?[0-9a-f-]{24}/i.test(text) || (!/\s/.test(text) && guessLayout(text) !== undefined);

function take(event: KeyboardEvent) {
  event.preventDefault();
  event.stopPropagation();
}

/** When the last scan ended, wherever it was typed: its label may have opened or closed a dialog. */
let endedAt = Number.NEGATIVE_INFINITY;

/** Takes an ending that belongs to the scan before, such as LF after CR, so that it presses no button. */
export function takeLateEnding(event: KeyboardEvent) {
  const isLate = isEnding(event) && event.timeStamp - endedAt <= END_MS;
  if (isLate) take(event);
  return isLate;
}

/** The last keys that could be those of one scan. */
function recordKeys() {
  let places = '';
  let characters = '';
  let times: number[] = [];
  const isMany = () => times.length >= MIN_KEYS;

  function forget() {
    [places, characters, times] = ['', '', []];
  }

  return {
    forget,
    forgetBefore(at: number) {
      if (at - (times.at(-1) ?? at) > MAX_PAUSE_MS) forget();
    },
    add({ place, character, at }: Typed) {
      places = (places + place).slice(-MAX_KEYS);
      characters = (characters + character).slice(-MAX_KEYS);
      times = [...times.slice(1 - MAX_KEYS), at];
    },
    isMany,
    isFast: () => times.slice(-MIN_KEYS).every((at, index, all) => at - (all[index - 1] ?? at) <= MAX_FAST_PAUSE_MS),
    isInLabel: () => isInLabel(places) || isInLabel(characters),
    isMuchOfLabel: () => isMany() && (isMuchOfLabel(places) || isMuchOfLabel(characters)),
    find: () => (isMany() ? readKeys({ places, characters }) : undefined),
    text: () => characters,
  };
}

interface Options {
  /** Receives the text of a scanned label. */
  onScan(label: string): void;
  /** Outside of text fields: receives the text of a label that can't be read. */
  onUnreadable?(text: string): void;
}

export type KeyReader = ReturnType<typeof createKeyReader>;

/** Reads what a hand scanner types, outside of text fields or in one. It takes only the ending of a scan from a field. */
export function createKeyReader({ onScan, onUnreadable }: Options) {
  const keys = recordKeys();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let altDigits = '';
  let isKnownKey = false;

  function stop() {
    clearTimeout(timer);
    keys.forget();
  }

  function finish(id: string, at: number) {
    stop();
    endedAt = at;
    onScan(`ORDER-${id}`);
  }

  function endWithoutKey(at: number) {
    const id = keys.isFast() ? keys.find() : undefined;
    if (id) finish(id, at);
  }

  function add(typed: Typed) {
    clearTimeout(timer);
    keys.forgetBefore(typed.at);
    keys.add(typed);
    if (keys.isMany()) timer = setTimeout(() => endWithoutKey(typed.at + END_MS), END_MS);
  }

  function end(event: KeyboardEvent) {
    keys.forgetBefore(event.timeStamp);
    const id = keys.find();
    if (id) {
      take(event);
      finish(id, event.timeStamp);
    } else if (!takeLateEnding(event)) {
      const unreadable = onUnreadable && keys.isFast() && keys.isMuchOfLabel() ? keys.text() : undefined;
      stop();
      if (unreadable === undefined) return;
      take(event);
      endedAt = event.timeStamp;
      onUnreadable?.(unreadable);
    }
  }

  return {
    stop,

    handleKeyDown(event: KeyboardEvent) {
      // what a browser or a password manager fills in comes with events that have no key
      if (!event.key || event.repeat || MODIFIERS.has(event.key)) return;
      if (isEnding(event)) return end(event);
      const typed = read(event);
      isKnownKey = typed !== undefined;
      if (isAltDigit(event)) altDigits += event.code.at(-1);
      if (!typed) return;
      add(typed);
      // outside of fields, the keys of a label must not be shortcuts, of the page or of the browser
      if (onUnreadable && keys.isInLabel()) take(event);
    },

    handleKeyUp(event: KeyboardEvent) {
      if (event.key !== 'Alt' || altDigits === '') return;
      const character = String.fromCharCode(Number(altDigits));
      altDigits = '';
      // a control character
      if (character < ' ') end(event);
      else add({ place: character, character, at: event.timeStamp });
    },

    /** Text that comes into a field without keys that are known: from Android, or from numbers of characters. */
    handleInput({ inputType, data, timeStamp }: Pick<InputEvent, 'data' | 'timeStamp'> & { inputType?: string }) {
      if (inputType === 'insertText' && !isKnownKey)
        for (const character of data ?? '') add({ place: character, character, at: timeStamp });
      // pasted, deleted and filled in text is read from the field
      else if (!inputType?.startsWith('insert') || /Paste|Drop/.test(inputType)) stop();
    },
  };
}

import { readScan } from './read-label';
import { typedOnUs } from './us-keyboard';

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

const isEndingKey = (key: string) => /^(Numpad)?Enter$|^Tab$/.test(key);

/** Enter, Tab, and the control characters ETX, EOT, Tab, LF and CR as scanners type them: Ctrl+C, D, I, J and M. */
const isEnding = ({ key, code, ctrlKey, altKey, metaKey }: KeyboardEvent) =>
  isEndingKey(key) || isEndingKey(code) || (ctrlKey && !altKey && !metaKey && /^Key[CDIJM]$/.test(code));

/** What was typed so far is the beginning of a label, so that its keys mean nothing else. */
const isInLabel = (text: string) => /order[^0-9a-z\s]?[0-9a-f]/.test(text);

/** Much of a label, but not all of it or more. */
const PART = /order-?[0-9a-f-]{24}/;
/** A label from a scanner of another country: `R` is one key, and so is each `-`, wherever that country has them. */
const FOREIGN = /[a-z]([a-z])[a-z]{2}\1([^a-z]).{8}(\2.{4}){3}\2.{12}/;

function take(event: KeyboardEvent) {
  event.preventDefault();
  event.stopPropagation();
}

/** When the last scan ended: its label may have opened a dialog with a field. */
let endedAt = Number.NEGATIVE_INFINITY;

/** Takes an ending that belongs to the scan before, such as LF after CR, so that it presses no button. */
export function takeLateEnding(event: KeyboardEvent) {
  const isLate = isEnding(event) && event.timeStamp - endedAt <= END_MS;
  if (isLate) take(event);
  return isLate;
}

interface Options {
  /** Receives the text of a scanned label. */
  onScan(label: string): void;
  /** Receives what was typed instead of a label. */
  onUnreadable(text: string): void;
}

/** Reads what a hand scanner types outside of text fields, by the places of its keys. */
export function createKeyReader({ onScan, onUnreadable }: Options) {
  /** of the last keys that could be those of one scan */
  let text = '';
  let times: number[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isMany = () => text.length >= MIN_KEYS;
  const isFast = () =>
    times.slice(-MIN_KEYS).every((at, index, all) => at - (all[index - 1] ?? at) <= MAX_FAST_PAUSE_MS);
  const find = () => (isMany() ? readScan(text) : undefined);

  function stop() {
    clearTimeout(timer);
    [text, times] = ['', []];
  }

  function forgetBefore(at: number) {
    if (at - (times.at(-1) ?? at) > MAX_PAUSE_MS) stop();
  }

  function finish(id: string, at: number) {
    stop();
    endedAt = at;
    onScan(`ORDER-${id}`);
  }

  function endWithoutKey(at: number) {
    const id = isFast() ? find() : undefined;
    if (id) finish(id, at);
  }

  function add(character: string, at: number) {
    clearTimeout(timer);
    forgetBefore(at);
    text = (text + character).slice(-MAX_KEYS);
    times = [...times, at].slice(-MAX_KEYS);
    if (isMany()) timer = setTimeout(() => endWithoutKey(at + END_MS), END_MS);
  }

  function end(event: KeyboardEvent) {
    forgetBefore(event.timeStamp);
    const id = find();
    if (id) {
      take(event);
      finish(id, event.timeStamp);
    } else if (!takeLateEnding(event)) {
      const typed = text;
      const isUnreadable = isMany() && isFast() && (PART.test(typed) || FOREIGN.test(typed));
      stop();
      if (!isUnreadable) return;
      take(event);
      endedAt = event.timeStamp;
      onUnreadable(typed);
    }
  }

  return {
    stop,

    handleKeyDown(event: KeyboardEvent) {
      if (event.repeat) return;
      if (isEnding(event)) return end(event);
      const isCommand = event.ctrlKey || event.metaKey || event.altKey;
      const character = isCommand ? undefined : typedOnUs(event);
      if (character === undefined) return;
      add(character, event.timeStamp);
      // the keys of a label must not be shortcuts, of the page or of the browser
      if (isInLabel(text)) take(event);
    },
  };
}

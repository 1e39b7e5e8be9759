import keyboards from '../fixtures/keyboards.json' with { type: 'json' };

/** A key event as a browser makes it. */
export interface Key {
  key: string;
  code: string;
  shiftKey: boolean;
}

export type LayoutName = keyof typeof keyboards.layouts;

export const LAYOUT_NAMES = Object.keys(keyboards.layouts) as LayoutName[];

const CODES = [...keyboards.codes.split(' '), 'Space'];
const toKeys = (level: string) => [...level.split(' '), ' '];
const LEVELS = Object.fromEntries(
  Object.entries(keyboards.layouts).map(([name, { plain, shift, caps, capsShift }]) => [
    name,
    { plain: toKeys(plain), shift: toKeys(shift), caps: toKeys(caps), capsShift: toKeys(capsShift) },
  ]),
) as Record<LayoutName, Record<'plain' | 'shift' | 'caps' | 'capsShift', string[]>>;

const levelOf = (shiftKey: boolean, capsLock: boolean) =>
  capsLock ? (shiftKey ? 'capsShift' : 'caps') : shiftKey ? 'shift' : 'plain';

/** Where a layout has a character, as the places that a scanner set to this layout presses. */
function placeOf(character: string, layout: LayoutName) {
  for (const shiftKey of [false, true]) {
    const index = LEVELS[layout][levelOf(shiftKey, false)].indexOf(character);
    if (index !== -1) return { index, shiftKey };
  }
  return undefined;
}

interface Typing {
  /** the layout of the computer */
  computer: LayoutName;
  /** the layout that the scanner is set to */
  scanner?: LayoutName;
  capsLock?: boolean;
}

/** The keys that a scanner presses for a text, or nothing if its layout has a character only with other keys. */
export function typeText(text: string, { computer, scanner = 'us', capsLock = false }: Typing): Key[] | undefined {
  const places = Array.from(text, (character) => placeOf(character, scanner));
  if (places.includes(undefined)) return undefined;
  return places.map((place) => {
    const { index, shiftKey } = place as NonNullable<typeof place>;
    const key = LEVELS[computer][levelOf(shiftKey, capsLock)][index] as string;
    return { key, code: CODES[index] as string, shiftKey };
  });
}

/** What these keys leave in a text field; undefined if dead keys or unknown ones would change the characters. */
export function textOf(keys: Key[]): string | undefined {
  return keys.some(({ key }) => key === 'Dead' || key === 'Unidentified')
    ? undefined
    : keys.map(({ key }) => key).join('');
}

/** Without and with Shift, in the order of the digits. */
const DIGITS = '0123456789';
const SHIFTED_DIGITS = ')!@#$%^&*(';
/** Without and with Shift. */
const OTHERS: Record<string, string> = {
  Minus: '-_',
  Equal: '=+',
  BracketLeft: '[{',
  BracketRight: ']}',
  Backslash: '\\|',
  Semicolon: ';:',
  Quote: '\'"',
  Backquote: '`~',
  Comma: ',<',
  Period: '.>',
  Slash: '/?',
  Space: '  ',
  NumpadSubtract: '--',
};

/**
 * What a US keyboard types with the key of this place, whatever the layout of the computer. Letters are small, because a
 * label means the same in capitals; undefined for keys that type nothing.
 */
export function typedOnUs({ code, shiftKey }: Pick<KeyboardEvent, 'code' | 'shiftKey'>): string | undefined {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter) return letter.toLowerCase();
  const [, row, digit] = /^(Digit|Numpad)(\d)$/.exec(code) ?? [];
  if (digit) return (row === 'Digit' && shiftKey ? SHIFTED_DIGITS : DIGITS)[Number(digit)];
  return OTHERS[code]?.[shiftKey ? 1 : 0];
}

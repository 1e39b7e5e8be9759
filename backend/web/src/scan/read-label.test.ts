import fc from 'fast-check';
import { LAYOUT_NAMES, type LayoutName, textOf, typeText } from '../../../../test/kit/keyboards';
import { times } from '../../../../test/kit/length';
import { guessLayout, readLabel } from './read-label';

const ID = '1a2b3c4d-0e5f-4a6b-8c7d-90ab12cdef34';
const OTHER = '018f6f2e-0000-7000-8000-00000000000a';
const BARE = ID.replaceAll('-', '');

describe('text', () => {
  test.each([
    `ORDER-${ID}`,
    `order-${ID.toUpperCase()}`,
    `  ORDER - ${ID} `,
    `ORDER-${ID} A4`,
    `ORDER-${ID}\tabc`,
    `ORDER-${ID} - bracket`,
    `A4 ORDER-${ID}`,
    `ORDER-${ID.slice(0, 20)}\n${ID.slice(20)}`,
    `ORDER-${ID}ORDER-${ID}`,
    `${OTHER} ORDER-${ID}`,
    ID,
    `{${ID}}`,
    BARE,
    `ORDER-${BARE}`,
    `ORDER${BARE}`,
    `ORDER_${ID.replaceAll('-', '_')}`,
    `urn:uuid:${ID}`,
    `]Q1ORDER-${ID}`,
    `]C1${ID}`,
    `]d2${BARE}`,
    `\u0002ORDER-${ID}\u0003`,
    `ORDER-${ID}\u0004`,
    `\ufeff\u200eORDER-${ID}\u200f`,
    'ＯＲＤＥＲ－１ａ２ｂ３ｃ４ｄ－０ｅ５ｆ－４ａ６ｂ－８ｃ７ｄ－９０ａｂ１２ｃｄｅｆ３４',
    `https://farm.example/console/orders?q=${OTHER}&order=${ID}&closed=1`,
    `https://farm.example/console/?order=${ID}#x`,
  ])('%j names the order', (text) => {
    expect(readLabel(text)?.id).toBe(ID);
  });

  test.each([
    '',
    'ORDER-',
    'hello',
    `${ID}0`,
    `0${ID}`,
    `ORDER-${ID.slice(1)}`,
    `ORDER-${ID}f`,
    `${BARE}0`,
    `ORDER-${ID} ORDER-${OTHER}`,
    `${ID} ${OTHER}`,
    `ORDER-${ID.replace('a', 'g')}`,
  ])('%j names none', (text) => {
    expect(readLabel(text)).toBeUndefined();
  });
});

/** Caps Lock changes its digits, too, so that they are those of another layout. */
const NOT_AS_TEXT: LayoutName[] = ['Programmer Dvorak'];

const typedOn = (text: string, computer: LayoutName, capsLock = false) =>
  textOf(typeText(text, { computer, capsLock }) ?? []) ?? '';

/** With the hyphen. */
const FEW_DIGITS = 5;

describe('text through another layout', () => {
  test.each(LAYOUT_NAMES)('%s is read', (computer) => {
    const capsLocks = NOT_AS_TEXT.includes(computer) ? [false] : [false, true];
    for (const capsLock of capsLocks)
      for (const text of [`ORDER-${ID}`, `ORDER-${ID.toUpperCase()}`, `order-${ID}`, `ORDER-${ID} (A4)`]) {
        const typed = typedOn(text, computer, capsLock);
        expect([typed, readLabel(typed)?.id]).toEqual([typed, ID]);
      }
  });

  test('any ID is read as itself', () => {
    const ids = fc.oneof(
      fc.uuid(),
      // few different digits, which more layouts share
      fc
        .uniqueArray(fc.constantFrom(...'0123456789abcdef'), { minLength: 1, maxLength: 4 })
        .chain((digits) =>
          fc
            .array(fc.constantFrom(...digits), { minLength: 32, maxLength: 32 })
            .map((id) => id.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')),
        ),
    );
    fc.assert(
      fc.property(ids, fc.constantFrom(...LAYOUT_NAMES), (id, computer) => {
        const read = readLabel(typedOn(`ORDER-${id}`, computer))?.id;
        // `êêêêêêêê-…` is 3 in Vietnam, 4 in France
        const isClear = read !== undefined || new Set(id).size > FEW_DIGITS;
        if (isClear) expect(read).toBe(id);
      }),
      { numRuns: times(3000, 30_000) },
    );
  });

  /** What `ORDER-1a2b3c4d…` becomes where Windows and input methods differ from X.Org. */
  test.each([
    ['Arabic', '×ٌ]ٌُ-1ش2لا3ؤ4ي-0ث5ب-4ش6لا-8ؤ7ي-90شلا12ؤيثب34'],
    ['French with Caps Lock', 'order°1Q2B3C4D°0E5F°4Q6B°8C7D°90QB12CDEF34'],
    ['Czech with Caps Lock', 'order=+AĚBŠCČD=ÉEŘF=ČAŽB=ÁCÝD=ÍÉAB+ĚCDEFŠČ'],
    ['Czech with digits of the numeric keypad', 'ORDER=1a2b3c4d=0e5f=4a6b=8c7d=90ab12cdef34'],
    ['Lithuanian', 'ORDER-ąačbęcėd-0eįf-ėašb-ūcųd-90abąčcdefęė'],
    ['Turkish F', 'HIEĞI-1u2ç3v4e-0ğ5a-4u6ç-8v7e-90uç12veğa34'],
    ['Hebrew with capitals', 'ORDER-1ש2נ3ב4ג-0ק5כ-4ש6נ-8ב7ג-90שנ12בגקכ34'],
    ['Korean', 'ㅒㄲㅇㄸㄲ-1ㅁ2ㅠ3ㅊ4ㅇ-0ㄷ5ㄹ-4ㅁ6ㅠ-8ㅊ7ㅇ-90뮤12ㅊㅇㄷㄹ34'],
    ['Japanese kana', 'らすしぃす-1ち2こ3そ4し-0い5は-4ち6こ-8そ7し-90ちこ12そしいは34'],
    ['Japanese half-width kana', 'ﾗｽｼｨｽ-1ﾁ2ｺ3ｿ4ｼ-0ｲ5ﾊ-4ﾁ6ｺ-8ｿ7ｼ-90ﾁｺ12ｿｼｲﾊ34'],
  ])('%s is read', (_name, text) => {
    expect(readLabel(text)?.id).toBe(ID);
  });

  test.each([
    ['fr AZERTY', typedOn(`ORDER-${ID}`, 'French').slice(0, -3)],
    ['cs', typedOn(`ORDER-${ID}`, 'Czech').replace('ý', '')],
    ['he', typedOn(`order-${ID}`, 'Hebrew').slice(0, -1)],
    ['ru', typedOn(`ORDER-${ID}`, 'Russian').slice(0, -1)],
    ['hu', typedOn(`ORDER-${ID}`, 'Hungarian').slice(0, -1)],
    ['- Dvorak', typedOn(`ORDER-${ID}`, 'Dvorak').slice(0, -1)],
    // tones join the letter before
    ['vi', typedOn(`ORDER-${OTHER}`, 'Vietnamese').normalize('NFC')],
  ])('says that it looks like %s', (title, text) => {
    expect(readLabel(text)).toBeUndefined();
    const { language = '-', name = '' } = guessLayout(text) ?? {};
    expect(`${language} ${name}`.trim()).toBe(title);
  });

  test.each([
    '',
    'hello',
    'ORDER-',
    `ORDER-${ID}0`,
    `${ID}0`,
    'Заказ для Анны, сорок два литых кронштейна',
    '<img src=x onerror=alert(1)>',
  ])('says nothing about %j', (text) => {
    expect(guessLayout(text)).toBeUndefined();
  });
});

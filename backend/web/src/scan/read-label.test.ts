import { readLabel } from './read-label';

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
    expect(readLabel(text)).toBe(ID);
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
    // a US scanner's label in a field, through a French layout
    'ORDER)&q"é"b\'c\'d)àe(f)\'q-b)_c7d)çàqb&"cdef"\'',
  ])('%j names none', (text) => {
    expect(readLabel(text)).toBeUndefined();
  });
});

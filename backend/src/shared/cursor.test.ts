import { z } from 'zod';
import { cursor, encodeCursor } from './cursor.ts';

const query = z
  .strictObject({ cursor: cursor(z.tuple([z.int(), z.string()])).optional() })
  .refine(({ cursor: read }) => read?.position[0] !== 7, { path: ['cursor'], error: 'is seven' });

test('reads what it wrote', () => {
  const written = { list: 'orders', page: 3, position: [-5, 'Ж "quoted"'] };
  expect(query.parse({ cursor: encodeCursor(written) })).toEqual({ cursor: written });
});

test.each([
  ['', 'x', '%', 'a'.repeat(501), 'bnVsbA', 'W10', 'e30', 'WyJhIl0'],
  [
    encodeCursor({ list: 'a', page: 0, position: [1, 'x'] }),
    encodeCursor({ list: 'a', page: 1.5, position: [1, 'x'] }),
    encodeCursor({ list: 'a', page: 1, position: [1] }),
    encodeCursor({ list: 'a', page: 1, position: ['1', 'x'] }),
    encodeCursor({ list: 'a', page: 1, position: [1, 'x', 1] }),
    encodeCursor({ list: 'a', page: 1, position: [2 ** 53, 'x'] }),
  ],
])('refuses text that is not a cursor of the list', (...texts) => {
  for (const text of texts) {
    const { error } = query.safeParse({ cursor: text });
    expect([text, error?.issues.map(({ path }) => path)]).toEqual([text, [['cursor']]]);
  }
});

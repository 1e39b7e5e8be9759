import { resolve } from 'node:path';

const { MAP, suitesFor } = require('../kit/changed.cjs') as {
  MAP: [RegExp, string[] | ((path: string) => string[])][];
  suitesFor(files: string[]): string[] | 'everything';
};

const { listFiles } = require('../kit/list-files.cjs') as { listFiles(root: string): string[] };

const files = listFiles(resolve(__dirname, '../..'));
const suites = files.filter((file) => file.endsWith('.test.ts'));

describe('the suites that npm run test:changed selects', () => {
  test('has only patterns that match existing files and suites', () => {
    for (const [pattern, found] of MAP) {
      expect([pattern, files.some((file) => pattern.test(file))]).toEqual([pattern, true]);
      for (const suite of Array.isArray(found) ? found : [])
        expect([suite, suites.some((path) => new RegExp(suite).test(path))]).toEqual([suite, true]);
    }
  });

  test('selects a suite for itself, what a helper serves, and a feature’s own and general suites', () => {
    expect(suitesFor(['test/agent/queue.test.ts'])).toEqual(['test/agent/queue']);
    expect(suitesFor(['test/kit/fuzz/requests.ts'])).toEqual(['test/fuzz', 'contract/parity']);
    expect(suitesFor(['test/browser/attack.cjs'])).toEqual(['test/browser']);
    expect(suitesFor(['backend/src/orders/order-store.ts'])).toEqual(
      expect.arrayContaining(['backend/src/orders', 'test/contract/isolation']),
    );
  });

  test('selects everything for an unmapped file', () => {
    for (const file of ['backend/src/http/route.ts', 'test/kit/service.ts', 'package-lock.json', 'something.new'])
      expect(suitesFor(['docs/guide/operate.md', file])).toBe('everything');
  });
});

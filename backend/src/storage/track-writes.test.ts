import { openTestStorage } from '../../../test/kit/storage.ts';
import { query } from './dialect.ts';
import type { Storage } from './open.ts';
import { trackWrites } from './track-writes.ts';

test.each(['SQLITE_FULL', 'SQLITE_READONLY', '53100', '25006'])(
  'after a write failed with %s nothing can be written, until a write succeeds',
  async (code) => {
    const opened = await openTestStorage();
    try {
      let isBroken = false;
      const inTransaction: Storage['inTransaction'] = (work) =>
        isBroken ? Promise.reject(Object.assign(new Error('failed'), { code })) : opened.inTransaction(work);
      const { storage, canWrite } = trackWrites({ ...opened, inTransaction });
      const write = () => storage.inTransaction(({ db }) => query(db, 'UPDATE deployment SET id = id'));
      isBroken = true;
      // unnoticed before the first write
      expect(await canWrite()).toBe(true);
      await expect(write()).rejects.toThrow('failed');
      expect(await canWrite()).toBe(false);
      isBroken = false;
      // without another request
      expect(await canWrite()).toBe(true);
    } finally {
      await opened.close();
    }
  },
);

test('other failures do not count', async () => {
  const opened = await openTestStorage();
  try {
    const { storage, canWrite } = trackWrites(opened);
    await expect(storage.inTransaction(({ db }) => query(db, 'UPDATE nowhere SET id = 1'))).rejects.toThrow();
    expect(await canWrite()).toBe(true);
  } finally {
    await opened.close();
  }
});

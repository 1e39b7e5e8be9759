import { ENCRYPTED } from '../../composition/secret-values.ts';
import { describeTables } from '../../storage/schema.ts';

test('replacing the secret key covers every encrypted column of the schema', async () => {
  const tables = await describeTables();
  const isEncrypted = (name: string) => name.endsWith('_encrypted');
  const inSchema = tables.flatMap(({ name, columns }) =>
    columns.filter((column) => isEncrypted(column.name)).map((column) => `${name}.${column.name}`),
  );
  const covered = ENCRYPTED.flatMap(({ table, columns }) => Object.keys(columns).map((column) => `${table}.${column}`));
  expect(covered.sort()).toEqual(inSchema.sort());
});

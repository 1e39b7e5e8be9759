/**
 * Migrates the database of `DATABASE_URL` and creates as many accounts as the first argument says, each with a token.
 * Bundled and run before all suites, so that no suite waits for migrations and the command line. Prints the accounts as
 * JSON.
 */
import { openAdministration } from '../../backend/src/composition/administration.ts';
import { readConfig } from '../../backend/src/config/config.ts';
import { query } from '../../backend/src/storage/dialect.ts';
import { createLogger } from '../../common/src/logger.ts';

const ACCOUNTS = Number(process.argv[2]);
const PASSWORD = 'correct horse battery';

const { accounts, storage, close } = await openAdministration(readConfig(), createLogger('silent'));
const made: { email: string; token: string }[] = [];
for (let i = 1; i <= ACCOUNTS; i++) {
  const email = `owner${i}@test.example`;
  await accounts.createAccount({ email, name: 'Test farm', password: PASSWORD });
  made.push({ email, token: await accounts.createToken({ email, passwordCheckedAt: null }, { name: 'test' }) });
}
const [deployment] = await query<{ id: string }>(storage.read, 'SELECT id FROM deployment');
await close();
process.stdout.write(JSON.stringify({ accounts: made, deployment: deployment?.id }));

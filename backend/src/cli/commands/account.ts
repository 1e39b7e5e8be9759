import { type CommandInput, readStandardInput, required } from './command.ts';
import { withFarmboard } from './with-farmboard.ts';

async function readPassword(input: CommandInput): Promise<string> {
  const given = required(input, 'password');
  return given === '-' ? readStandardInput() : given;
}

export async function createAccount(input: CommandInput): Promise<void> {
  const email = required(input, 'email');
  const name = required(input, 'name');
  const password = await readPassword(input);
  const currency = input.options.currency?.toUpperCase();
  await withFarmboard(async ({ accounts }) => {
    const account = await accounts.createAccount({ email, name, password, currency });
    console.log(`Created account ${account.email} (${account.name}).`);
  });
}

export async function resetPassword(input: CommandInput): Promise<void> {
  const email = required(input, 'email');
  const password = await readPassword(input);
  await withFarmboard(async ({ sessions }) => {
    await sessions.resetPassword(email, password);
    console.log(`Changed the password of ${email}. All sessions have ended; access tokens still work.`);
  });
}

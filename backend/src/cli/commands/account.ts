import { type CommandInput, required } from './command.ts';
import { withFarmboard } from './with-farmboard.ts';

async function readStandardInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text.replace(/\r?\n$/, '');
}

export async function createAccount(input: CommandInput): Promise<void> {
  const email = required(input, 'email');
  const name = required(input, 'name');
  const given = required(input, 'password');
  const currency = input.options.currency?.toUpperCase();
  const password = given === '-' ? await readStandardInput() : given;
  await withFarmboard(async ({ accounts }) => {
    const account = await accounts.createAccount({ email, name, password, currency });
    console.log(`Created account ${account.email} (${account.name}).`);
  });
}

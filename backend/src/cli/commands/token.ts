import { toIso } from '../../../../common/src/clock.ts';
import { type CommandInput, required, UsageError } from './command.ts';
import { withFarmboard } from './with-farmboard.ts';

function readDays(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'never') return null;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError('--days must be a whole number from 1 to 9999, or never.');
  return Number(text);
}

/** Prints only the token, for use in scripts. */
export async function createToken(input: CommandInput): Promise<void> {
  const email = required(input, 'email');
  const name = required(input, 'name');
  const days = readDays(input.options.days);
  const isReadOnly = input.options['read-only'] !== undefined;
  await withFarmboard(async ({ accounts }) => {
    console.log(await accounts.createToken({ email, passwordCheckedAt: null }, { name, days, isReadOnly }));
  });
}

export async function listTokens(input: CommandInput): Promise<void> {
  const email = required(input, 'email');
  await withFarmboard(async ({ accounts }) => {
    const tokens = await accounts.listTokens(email);
    if (tokens.length === 0) console.log('No access tokens.');
    for (const token of tokens) {
      const expires = token.expiresAt === null ? 'never' : toIso(token.expiresAt);
      const used = token.lastUsedAt === null ? 'never' : toIso(token.lastUsedAt);
      const access = token.isReadOnly ? '  read-only' : '';
      console.log(
        `${token.name}  pat_…${token.hint}${access}  created ${toIso(token.createdAt)}  last used ${used}  expires ${expires}`,
      );
    }
  });
}

export async function revokeToken(input: CommandInput): Promise<void> {
  const email = required(input, 'email');
  const name = required(input, 'name');
  await withFarmboard(async ({ accounts }) => {
    await accounts.revokeToken(email, name);
    console.log(`Revoked ${name}. It can no longer be used.`);
  });
}

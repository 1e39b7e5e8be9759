import { z } from 'zod';
import { toIso, toIsoOrNull } from '../../../common/src/clock.ts';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { type Route, routesOf } from '../http/route.ts';
import { currencyCode, idParams, text, uuid, wholeNumber } from '../shared/schemas.ts';
import type { AccountService } from './account-service.ts';
import { COOKIE, contextOf, cookiesOf, password } from './session-routes.ts';
import type { SessionService } from './sessions.ts';

const { get, post, put, remove } = routesOf('Account');

const PasswordChange = z.object({ current_password: password, new_password: password }).meta({
  id: 'PasswordChange',
  examples: [{ current_password: 'correct horse battery', new_password: 'staple correct horse battery' }],
});

const PasswordCheck = z
  .object({ password })
  .meta({ id: 'PasswordCheck', examples: [{ password: 'correct horse battery' }] });

const SessionEntry = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.session }),
    is_this_one: z.boolean(),
    user_agent: z.string().meta({ example: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0' }),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
  })
  .meta({ id: 'SessionEntry' });

const Token = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.token }),
    name: z.string().meta({ example: 'n8n' }),
    hint: z.string().describe('the last 4 characters of the token'),
    read_only: z.boolean().describe('whether it can only read'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable().meta({ example: '2027-11-22T09:30:00.000Z' }),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AccessToken' });

const NewToken = z
  .object({
    name: text(100, 1),
    days: wholeNumber(1, 3650).nullable().optional().describe('days until it expires; null: never; default: 365'),
    read_only: z.boolean().optional().describe('true: the token can only read; default: false'),
  })
  .meta({ id: 'NewAccessToken', examples: [{ name: 'Node-RED', days: 365 }] });

const AccountSettings = z
  .object({
    currency: z.string().describe('ISO 4217: the currency of prices and costs'),
    is_currency_fixed: z.boolean().describe('true once a price is stored: the currency can no longer be changed'),
  })
  .meta({ id: 'AccountSettings' });

const AccountPatch = z
  .object({ currency: currencyCode() })
  .meta({ id: 'AccountPatch', examples: [{ currency: 'EUR' }] });

/** Owner-only routes: currency, sessions, password, access tokens. */
export function accountConsoleRoutes(deps: {
  sessions: SessionService;
  accounts: AccountService;
  https: boolean;
}): Route[] {
  const { sessions, accounts, https } = deps;
  const settingsOf = async (accountId: string) => {
    const { currency, isFixed } = await accounts.currency(accountId);
    return { currency, is_currency_fixed: isFixed };
  };
  return [
    get('/account', {
      operationId: 'getAccount',
      summary: 'Read the settings of the account',
      responses: { 200: { description: 'The settings', schema: AccountSettings } },
      handle: ({ actor }) => settingsOf(actor.accountId),
    }),
    put('/account', {
      operationId: 'updateAccount',
      summary: 'Change the currency of the account',
      description: 'Refused as soon as a price is stored.',
      body: AccountPatch,
      errors: ['validation_error'],
      responses: { 200: { description: 'The settings', schema: AccountSettings } },
      async handle({ actor, body }) {
        await accounts.setCurrency(actor.accountId, body.currency);
        return await settingsOf(actor.accountId);
      },
    }),
    get('/sessions', {
      operationId: 'listSessions',
      summary: 'List sessions',
      responses: { 200: { description: 'The sessions', schema: z.object({ items: z.array(SessionEntry) }) } },
      async handle({ actor }) {
        const items = (await sessions.list(actor.accountId)).map(({ id, userAgent, createdAt, lastUsedAt }) => ({
          id,
          is_this_one: id === actor.tokenId,
          user_agent: userAgent,
          created_at: toIso(createdAt),
          last_used_at: toIso(lastUsedAt),
        }));
        return { items };
      },
    }),
    remove('/sessions', {
      operationId: 'signOutElsewhere',
      summary: 'Sign out all other sessions',
      errors: ['password_required'],
      responses: { 204: { description: 'Signed out' } },
      handle: ({ actor }) => sessions.signOutElsewhere(actor),
    }),
    remove('/sessions/{id}', {
      operationId: 'endSession',
      summary: 'Sign out one session',
      errors: ['password_required'],
      params: idParams,
      responses: { 204: { description: 'Signed out' } },
      handle: ({ actor, params }) => sessions.end(actor, params.id),
    }),
    put('/password', {
      operationId: 'changePassword',
      summary: 'Change the password and sign out all other sessions',
      body: PasswordChange,
      errors: ['validation_error'],
      responses: { 204: { description: 'Changed', headers: COOKIE } },
      async reply(request) {
        const { current_password: current, new_password: next } = request.body;
        const session = await sessions.changePassword(request.actor, { current, next }, contextOf(request, https));
        return { status: 204, headers: { 'Set-Cookie': cookiesOf(session, https) } };
      },
    }),
    post('/password-check', {
      operationId: 'checkPassword',
      summary: 'Enter the password again',
      description: 'For ten minutes, changes that need the password are accepted.',
      body: PasswordCheck,
      errors: ['validation_error'],
      responses: { 204: { description: 'The password is right; the session has a new cookie', headers: COOKIE } },
      async reply(request) {
        const { actor, body } = request;
        const session = await sessions.confirmPassword(actor, body.password, contextOf(request, https));
        return { status: 204, headers: { 'Set-Cookie': cookiesOf(session, https) } };
      },
    }),
    get('/tokens', {
      operationId: 'listTokens',
      summary: 'List access tokens, without the tokens themselves',
      responses: { 200: { description: 'The tokens', schema: z.object({ items: z.array(Token) }) } },
      async handle({ actor }) {
        const items = (await accounts.listTokens(actor.email)).map((token) => ({
          id: token.id,
          name: token.name,
          hint: token.hint,
          read_only: token.isReadOnly,
          created_at: toIso(token.createdAt),
          expires_at: toIsoOrNull(token.expiresAt),
          last_used_at: toIsoOrNull(token.lastUsedAt),
        }));
        return { items };
      },
    }),
    post('/tokens', {
      operationId: 'createToken',
      summary: 'Create an access token; it is returned only once',
      description: 'Only a read-only token can be created without the password.',
      body: NewToken,
      errors: ['validation_error', 'password_required'],
      responses: {
        201: { description: 'The token', schema: z.object({ token: z.string().meta({ example: 'pat_…' }) }) },
      },
      handle: async ({ actor, body: { name, days, read_only: isReadOnly } }) => ({
        token: await accounts.createToken(actor, { name, days, isReadOnly }),
      }),
    }),
    remove('/tokens/{id}', {
      operationId: 'revokeToken',
      summary: 'Revoke an access token',
      params: idParams,
      responses: { 204: { description: 'Ended' } },
      handle: ({ actor, params }) => accounts.revokeTokenById(actor.accountId, params.id),
    }),
  ];
}

import { z } from 'zod';
import { deviceCookie, readCookie, readDeviceCookie, sessionCookie } from '../http/cookie.ts';
import { type Route, type RouteRequest, route } from '../http/route.ts';
import { toIso, toIsoOrNull } from '../shared/clock.ts';
import { currencyCode, idParams, text, uuid, wholeNumber } from '../shared/schemas.ts';
import { type AccountService, DEFAULT_TOKEN_DAYS } from './account-service.ts';
import type { Account } from './account-store.ts';
import { DEVICE_LIFETIME_MS } from './device-cookie.ts';
import type { SignInContext } from './password-check.ts';
import type { SessionService, SignedIn } from './sessions.ts';

const tag = 'Account';

const Person = z
  .object({ account_name: z.string(), email: z.string(), currency: z.string().describe('ISO 4217') })
  .meta({ id: 'Person' });

const toPerson = ({ name, email, currency }: Account) => ({ account_name: name, email, currency });

const Session = z
  .object({
    person: Person.nullable().describe('the signed-in account; null when signed out'),
    needs_set_up: z.boolean().describe('true: no account exists yet; the setup link creates the owner account'),
    sign_up: z.boolean().describe('whether anyone can create an account'),
  })
  .meta({ id: 'Session' });

const password = z.string().max(1024);
const email = text(320, 3);

const Credentials = z
  .object({ email, password })
  .meta({ id: 'Credentials', examples: [{ email: 'you@example.org', password: 'correct horse battery' }] });
const NewOwner = z
  .object({
    email,
    name: text(200, 1),
    password,
    currency: currencyCode().optional().describe('the currency of prices and costs; default: RUB'),
  })
  .meta({
    id: 'NewOwner',
    examples: [{ email: 'new@example.org', name: 'My farm', password: 'correct horse battery', currency: 'EUR' }],
  });
const SetUp = NewOwner.extend({ code: z.string().max(200) }).meta({
  id: 'SetUp',
  examples: [{ email: 'you@example.org', name: 'My farm', password: 'correct horse battery', code: 'set_…' }],
});
const PasswordChange = z.object({ current_password: password, new_password: password }).meta({
  id: 'PasswordChange',
  examples: [{ current_password: 'correct horse battery', new_password: 'staple correct horse battery' }],
});

const PasswordCheck = z
  .object({ password })
  .meta({ id: 'PasswordCheck', examples: [{ password: 'correct horse battery' }] });

const COOKIE = { 'Set-Cookie': 'the session' };

const cookiesOf = ({ token, expiresAt, device, createdAt }: SignedIn, https: boolean): string[] => [
  sessionCookie(token, expiresAt, https),
  deviceCookie(device, createdAt + DEVICE_LIFETIME_MS, https),
];

type SessionRequest = Pick<RouteRequest<unknown, unknown, unknown>, 'header' | 'client'>;

const tokenOf = ({ header }: SessionRequest, https: boolean) => readCookie(header('cookie'), https);

const contextOf = (request: SessionRequest, https: boolean): SignInContext => ({
  client: request.client,
  userAgent: request.header('user-agent') ?? '',
  token: tokenOf(request, https),
  device: readDeviceCookie(request.header('cookie'), https),
});

/** Routes without a session: session status, sign-in, setup, sign-up, sign-out. */
export function sessionRoutes(deps: { sessions: SessionService; https: boolean }): Route[] {
  const { sessions, https } = deps;
  const signedIn = async (session: SignedIn) => ({
    status: 200,
    body: {
      person: toPerson(session.account),
      needs_set_up: false,
      sign_up: (await sessions.signInOptions()).signUp,
    },
    headers: { 'Set-Cookie': cookiesOf(session, https) },
  });

  return [
    route({
      method: 'get',
      path: '/session',
      operationId: 'getSession',
      tag,
      summary: 'Get the session, and whether setup or sign-up is possible',
      responses: { 200: { description: 'The session', schema: Session } },
      async handle(request) {
        const { needsSetUp, signUp } = await sessions.signInOptions();
        const found = await sessions.find(tokenOf(request, https));
        const person = found ? toPerson(found.account) : null;
        return { status: 200, body: { person, needs_set_up: needsSetUp, sign_up: signUp } };
      },
    }),
    route({
      method: 'post',
      path: '/session',
      operationId: 'signIn',
      tag,
      summary: 'Sign in',
      body: Credentials,
      responses: { 200: { description: 'Signed in', schema: Session, headers: COOKIE } },
      handle: async (request) => signedIn(await sessions.signIn(request.body, contextOf(request, https))),
    }),
    route({
      method: 'delete',
      path: '/session',
      operationId: 'signOut',
      tag,
      summary: 'Sign out',
      responses: { 204: { description: 'Signed out', headers: COOKIE } },
      async handle(request) {
        await sessions.signOut(tokenOf(request, https));
        return { status: 204, headers: { 'Set-Cookie': sessionCookie('', 0, https) } };
      },
    }),
    route({
      method: 'post',
      path: '/set-up',
      operationId: 'setUp',
      tag,
      summary: 'Create the owner account with the code from the setup link',
      body: SetUp,
      errors: ['not_found'],
      responses: { 200: { description: 'Created and signed in', schema: Session, headers: COOKIE } },
      async handle(request) {
        const { code, ...owner } = request.body;
        return signedIn(await sessions.setUp(code, owner, contextOf(request, https)));
      },
    }),
    route({
      method: 'post',
      path: '/sign-up',
      operationId: 'signUp',
      tag,
      summary: 'Create an account (SIGN_UP=open)',
      body: NewOwner,
      errors: ['not_found'],
      responses: { 200: { description: 'Created and signed in', schema: Session, headers: COOKIE } },
      handle: async (request) => signedIn(await sessions.signUp(request.body, contextOf(request, https))),
    }),
  ];
}

const SessionEntry = z
  .object({
    id: uuid(),
    is_this_one: z.boolean(),
    user_agent: z.string(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
  })
  .meta({ id: 'SessionEntry' });

const Token = z
  .object({
    id: uuid(),
    name: z.string(),
    hint: z.string().describe('the last 4 characters of the token'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AccessToken' });

/** A token that is valid for longer outlives the session by far, so it needs the password. */
const MAX_DAYS_WITHOUT_PASSWORD = 30;

const NewToken = z
  .object({
    name: text(100, 1),
    days: wholeNumber(1, 3650).nullable().optional().describe('days until it expires; null: never; default: 365'),
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
export function consoleRoutes(deps: { sessions: SessionService; accounts: AccountService; https: boolean }): Route[] {
  const { sessions, accounts, https } = deps;
  const settingsOf = async (accountId: string) => {
    const { currency, isFixed } = await accounts.currency(accountId);
    return { currency, is_currency_fixed: isFixed };
  };
  return [
    route({
      method: 'get',
      path: '/account',
      operationId: 'getAccount',
      tag,
      summary: 'Read the settings of the account',
      responses: { 200: { description: 'The settings', schema: AccountSettings } },
      handle: async ({ actor }) => ({ status: 200, body: await settingsOf(actor.accountId) }),
    }),
    route({
      method: 'put',
      path: '/account',
      operationId: 'updateAccount',
      tag,
      summary: 'Change the currency of the account',
      description: 'Refused as soon as a price is stored.',
      body: AccountPatch,
      errors: ['validation_error'],
      responses: { 200: { description: 'The settings', schema: AccountSettings } },
      async handle({ actor, body }) {
        await accounts.setCurrency(actor.accountId, body.currency);
        return { status: 200, body: await settingsOf(actor.accountId) };
      },
    }),
    route({
      method: 'get',
      path: '/sessions',
      operationId: 'listSessions',
      tag,
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
        return { status: 200, body: { items } };
      },
    }),
    route({
      method: 'delete',
      path: '/sessions',
      operationId: 'signOutElsewhere',
      tag,
      summary: 'Sign out all other sessions',
      needsPassword: true,
      responses: { 204: { description: 'Signed out' } },
      async handle({ actor }) {
        await sessions.signOutElsewhere(actor);
        return { status: 204 };
      },
    }),
    route({
      method: 'delete',
      path: '/sessions/{id}',
      operationId: 'endSession',
      tag,
      summary: 'Sign out one session',
      needsPassword: true,
      params: idParams,
      responses: { 204: { description: 'Signed out' } },
      async handle({ actor, params }) {
        await sessions.end(actor, params.id);
        return { status: 204 };
      },
    }),
    route({
      method: 'put',
      path: '/password',
      operationId: 'changePassword',
      tag,
      summary: 'Change the password and sign out all other sessions',
      body: PasswordChange,
      errors: ['validation_error'],
      responses: { 204: { description: 'Changed', headers: COOKIE } },
      async handle(request) {
        const { current_password: current, new_password: next } = request.body;
        const session = await sessions.changePassword(request.actor, { current, next }, contextOf(request, https));
        return { status: 204, headers: { 'Set-Cookie': cookiesOf(session, https) } };
      },
    }),
    route({
      method: 'post',
      path: '/password-check',
      operationId: 'checkPassword',
      tag,
      summary: 'Enter the password again',
      description: 'For ten minutes, changes that need the password are accepted.',
      body: PasswordCheck,
      errors: ['validation_error'],
      responses: { 204: { description: 'The password is right; the session has a new cookie', headers: COOKIE } },
      async handle(request) {
        const { actor, body } = request;
        const session = await sessions.confirmPassword(actor, body.password, contextOf(request, https));
        return { status: 204, headers: { 'Set-Cookie': cookiesOf(session, https) } };
      },
    }),
    route({
      method: 'get',
      path: '/tokens',
      operationId: 'listTokens',
      tag,
      summary: 'List access tokens, without the tokens themselves',
      responses: { 200: { description: 'The tokens', schema: z.object({ items: z.array(Token) }) } },
      async handle({ actor }) {
        const items = (await accounts.listTokens(actor.email)).map((token) => ({
          id: token.id,
          name: token.name,
          hint: token.hint,
          created_at: toIso(token.createdAt),
          expires_at: toIsoOrNull(token.expiresAt),
          last_used_at: toIsoOrNull(token.lastUsedAt),
        }));
        return { status: 200, body: { items } };
      },
    }),
    route({
      method: 'post',
      path: '/tokens',
      operationId: 'createToken',
      tag,
      summary: 'Create an access token; it is returned only once',
      description: `A token that is valid for more than ${MAX_DAYS_WITHOUT_PASSWORD} days needs the password.`,
      needsPassword: ({ days = DEFAULT_TOKEN_DAYS }) => days === null || days > MAX_DAYS_WITHOUT_PASSWORD,
      body: NewToken,
      errors: ['validation_error'],
      responses: { 201: { description: 'The token', schema: z.object({ token: z.string() }) } },
      async handle({ actor, body }) {
        const token = await accounts.createToken({
          email: actor.email,
          name: body.name,
          ...(body.days === undefined ? {} : { days: body.days }),
        });
        return { status: 201, body: { token } };
      },
    }),
    route({
      method: 'delete',
      path: '/tokens/{id}',
      operationId: 'revokeToken',
      tag,
      summary: 'Revoke an access token',
      params: idParams,
      responses: { 204: { description: 'Ended' } },
      async handle({ actor, params }) {
        await accounts.revokeTokenById(actor.accountId, params.id);
        return { status: 204 };
      },
    }),
  ];
}

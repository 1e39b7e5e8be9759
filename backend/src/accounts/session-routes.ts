import { z } from 'zod';
import {
  deviceCookie,
  ownerCookie,
  readCookie,
  readDeviceCookie,
  readOwnerCookie,
  sessionCookie,
} from '../http/cookie.ts';
import { type Route, type RouteRequest, routesOf } from '../http/route.ts';
import { currencyCode, text } from '../shared/schemas.ts';
import type { Account } from './account-store.ts';
import { DEVICE_LIFETIME_MS } from './device-cookie.ts';
import type { SignInContext } from './password-check.ts';
import type { SessionService, SignedIn } from './sessions.ts';

const { get, post, remove } = routesOf('Account');

const Person = z
  .object({
    account_name: z.string().meta({ example: 'Layer Workshop' }),
    email: z.string().meta({ example: 'you@example.org' }),
    currency: z.string().describe('ISO 4217'),
  })
  .meta({ id: 'Person' });

const toPerson = ({ name, email, currency }: Account) => ({ account_name: name, email, currency });

const Session = z
  .object({
    person: Person.nullable().describe('the signed-in account; null when signed out'),
    needs_setup: z
      .boolean()
      .describe('true: no account exists yet; the setup link creates the owner account')
      .meta({ example: false }),
    sign_up: z.boolean().describe('whether anyone can create an account'),
  })
  .meta({ id: 'Session' });

export const password = z.string().max(1024);
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
const Setup = NewOwner.extend({ code: z.string().max(200) }).meta({
  id: 'Setup',
  examples: [{ email: 'you@example.org', name: 'My farm', password: 'correct horse battery', code: 'set_…' }],
});
export const COOKIE = { 'Set-Cookie': 'the session' };

export const cookiesOf = ({ token, expiresAt, device, createdAt }: SignedIn, https: boolean): string[] => [
  sessionCookie(token, expiresAt, https),
  deviceCookie(device, createdAt + DEVICE_LIFETIME_MS, https),
];

type SessionRequest = Pick<RouteRequest<unknown, unknown, unknown>, 'header' | 'client'>;

const tokenOf = ({ header }: SessionRequest, https: boolean) => readCookie(header('cookie'), https);

export const contextOf = (request: SessionRequest, https: boolean): SignInContext => ({
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
      needs_setup: false,
      sign_up: (await sessions.signInOptions()).signUp,
    },
    headers: { 'Set-Cookie': cookiesOf(session, https) },
  });

  return [
    get('/session', {
      operationId: 'getSession',
      summary: 'Get the session, and whether setup or sign-up is possible',
      responses: { 200: { description: 'The session', schema: Session } },
      async reply(request) {
        const { needsSetup, signUp } = await sessions.signInOptions();
        const found = await sessions.find(tokenOf(request, https));
        const body = { needs_setup: needsSetup, sign_up: signUp };
        if (found) return { status: 200, body: { ...body, person: toPerson(found.account) } };
        // the account of a simulation that has been removed
        const token = readOwnerCookie(request.header('cookie'), https);
        const owner = await sessions.find(token);
        if (!owner || token === undefined) return { status: 200, body: { ...body, person: null } };
        const back = [sessionCookie(token, owner.expiresAt, https), ownerCookie('', 0, https)];
        return { status: 200, body: { ...body, person: toPerson(owner.account) }, headers: { 'Set-Cookie': back } };
      },
    }),
    post('/session', {
      operationId: 'signIn',
      summary: 'Sign in',
      body: Credentials,
      responses: { 200: { description: 'Signed in', schema: Session, headers: COOKIE } },
      reply: async (request) => signedIn(await sessions.signIn(request.body, contextOf(request, https))),
    }),
    remove('/session', {
      operationId: 'signOut',
      summary: 'Sign out',
      responses: { 204: { description: 'Signed out', headers: COOKIE } },
      async reply(request) {
        await sessions.signOut(tokenOf(request, https));
        // from a simulation
        await sessions.signOut(readOwnerCookie(request.header('cookie'), https));
        const gone = [sessionCookie('', 0, https), ownerCookie('', 0, https)];
        return { status: 204, headers: { 'Set-Cookie': gone } };
      },
    }),
    post('/setup', {
      operationId: 'createFirstOwner',
      summary: 'Create the owner account with the code from the setup link',
      body: Setup,
      errors: ['not_found'],
      responses: { 200: { description: 'Created and signed in', schema: Session, headers: COOKIE } },
      async reply(request) {
        const { code, ...owner } = request.body;
        return signedIn(await sessions.createFirstOwner(code, owner, contextOf(request, https)));
      },
    }),
    post('/sign-up', {
      operationId: 'signUp',
      summary: 'Create an account (SIGN_UP=open)',
      body: NewOwner,
      errors: ['not_found'],
      responses: { 200: { description: 'Created and signed in', schema: Session, headers: COOKIE } },
      reply: async (request) => signedIn(await sessions.signUp(request.body, contextOf(request, https))),
    }),
  ];
}

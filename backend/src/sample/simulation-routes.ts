import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { SignInContext } from '../accounts/password-check.ts';
import type { SignedIn } from '../accounts/sessions.ts';
import { ownerCookie, readCookie, readOwnerCookie, sessionCookie } from '../http/cookie.ts';
import { type Route, type RouteRequest, routesOf } from '../http/route.ts';
import { DomainError, notFound } from '../shared/errors.ts';
import { LANGUAGES } from '../shared/language.ts';
import { uuid } from '../shared/schemas.ts';
import type { SimulationService } from './simulation-service.ts';
import type { Simulation } from './simulation-store.ts';

const { get, post, remove } = routesOf('Sample data');

const Progress = z
  .object({
    printer_id: uuid(),
    name: z.string().meta({ example: 'Vera' }),
    order_name: z.string().nullable().describe('what it prints; null: nothing').meta({ example: 'Phone stand' }),
    percent: z.number().meta({ example: 40 }),
  })
  .meta({ id: 'SimulatedPrinter' });

const State = z
  .object({
    is_available: z.boolean().describe('a simulated farm can be started now'),
    simulation: z
      .object({
        minute: z.int().nullable().describe('the time of its day, in minutes since midnight; null: not known'),
        is_over: z.boolean().describe('its day has ended'),
        printers: z.array(Progress),
      })
      .nullable()
      .describe("null: this account isn't that of a simulation"),
  })
  .meta({ id: 'SimulationState' });

const StartQuery = z.strictObject({
  language: z.enum(LANGUAGES).default('en').describe('the language of its texts'),
});

const Code = z.object({ code: z.string().max(200) }).meta({ id: 'SimulationCode', examples: [{ code: 'set_…' }] });

const MAX_SEED = 2 ** 31 - 1;

type Headers = Pick<RouteRequest<unknown, unknown, unknown>, 'header' | 'client'>;

interface SimulationRouteDeps {
  simulations: SimulationService;
  /** the session of a token, if it is valid */
  findSession(token: string | undefined): Promise<{ account: { id: string }; expiresAt: number } | undefined>;
  https: boolean;
}

/** Console routes of simulated farms. A browser that enters one keeps its own session in a second cookie. */
export function simulationRoutes({ simulations, findSession, https }: SimulationRouteDeps) {
  const contextOf = ({ header, client }: Headers): SignInContext => ({
    client,
    userAgent: header('user-agent') ?? '',
    token: undefined,
    device: undefined,
  });
  const enterBy = (session: SignedIn) => sessionCookie(session.token, session.expiresAt, https);

  const stateOf = async (accountId: string) => {
    const found = await simulations.find(accountId);
    if (!found) return { is_available: await simulations.isAvailable(), simulation: null };
    const { state, isOver } = simulations.progress(found);
    return {
      is_available: false,
      simulation: { minute: state?.minute ?? null, is_over: isOver, printers: state?.printers ?? [] },
    };
  };

  /** @returns the cookies that lead back to the owner's session, or out */
  async function leave({ ownerId }: Simulation, { header }: Headers): Promise<string[]> {
    const token = readOwnerCookie(header('cookie'), https);
    const session = await findSession(token);
    const isOwn = token !== undefined && session !== undefined && session.account.id === ownerId;
    const back = isOwn ? sessionCookie(token, session.expiresAt, https) : sessionCookie('', 0, https);
    return [back, ownerCookie('', 0, https)];
  }

  const openRoutes: Route[] = [
    post('/simulation/session', {
      operationId: 'openSimulation',
      summary: 'Open a simulated farm with the code of its link',
      description: 'The link is printed by `farmboard demo --live`.',
      body: Code,
      errors: ['not_found'],
      responses: { 204: { description: 'Signed in to it', headers: { 'Set-Cookie': 'the session' } } },
      async reply(request) {
        const session = await simulations.enterByCode(request.body.code, contextOf(request));
        return { status: 204, headers: { 'Set-Cookie': enterBy(session) } };
      },
    }),
  ];

  const routes: Route[] = [
    get('/simulation', {
      operationId: 'getSimulation',
      summary: 'Get the state of the simulated farm',
      responses: { 200: { description: 'The state', schema: State } },
      handle: ({ actor }) => stateOf(actor.accountId),
    }),
    post('/simulation', {
      operationId: 'startSimulation',
      summary: 'Start a simulated farm and sign in to it',
      description:
        'It has an account of its own, in which four simulated printers run the day of a farm in about three minutes. Deleting it returns to the current session.',
      query: StartQuery,
      errors: ['not_found', 'rate_limited'],
      responses: { 204: { description: 'Signed in to it', headers: { 'Set-Cookie': 'the sessions' } } },
      async reply(request) {
        const { actor, query, header } = request;
        if (await simulations.find(actor.accountId)) {
          throw new DomainError('not_found', 'This account is a simulation itself.');
        }
        const seed = randomInt(MAX_SEED);
        const { accountId } = await simulations.start({ ownerId: actor.accountId, language: query.language, seed });
        const session = await simulations.enter(accountId, contextOf(request));
        const own = readCookie(header('cookie'), https) ?? '';
        const expiresAt = actor.tokenExpiresAt ?? session.expiresAt;
        return { status: 204, headers: { 'Set-Cookie': [enterBy(session), ownerCookie(own, expiresAt, https)] } };
      },
    }),
    remove('/simulation', {
      operationId: 'removeSimulation',
      summary: 'Remove the simulated farm',
      description: 'Deletes its account with everything in it.',
      errors: ['not_found'],
      responses: { 204: { description: 'Removed', headers: { 'Set-Cookie': 'the sessions' } } },
      async reply(request) {
        const found = await simulations.find(request.actor.accountId);
        if (!found) throw notFound();
        const cookies = await leave(found, request);
        await simulations.remove(found.accountId);
        return { status: 204, headers: { 'Set-Cookie': cookies } };
      },
    }),
  ];
  return { openRoutes, routes };
}

import { randomUUID } from 'node:crypto';
import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express';
import helmet from 'helmet';
import type { Logger } from '../../../common/src/logger.ts';
import type { Metrics } from '../operator/metrics.ts';
import { createOperatorRouter, type OperatorDeps, observeRequests } from '../operator/operator-routes.ts';
import { DomainError } from '../shared/errors.ts';
import { createAccessLog } from './access-log.ts';
import { type ApiDeps, createApi } from './api.ts';
import { hasBody } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import { shareBudget } from './body-reader.ts';
import { type ConsoleDeps, createConsole } from './console.ts';
import { allowOrigins } from './cors.ts';
import { createDocs } from './docs.ts';
import { restoreEntityTags } from './entity-tags.ts';
import { mergePieces } from './merge-pieces.ts';
import { INTERFACE_VERSION } from './openapi.ts';
import { serveOpenApi } from './openapi-route.ts';
import { createPageFiles, PAGE_FILES } from './page.tsx';
import { logRefusal } from './refusals.ts';
import { compress, sendProblem } from './respond.ts';
import type { WebhookDocument } from './route.ts';
import { createFavicon, createWeb } from './web.ts';

/** A router with its own authentication and error responses. */
export interface MountedApi {
  path: string;
  router: Router;
}

export interface AppDeps extends ApiDeps {
  /** enables HSTS and Origin-Agent-Cluster if it is an https URL */
  publicUrl: string;
  /** addresses and networks of reverse proxies */
  trustedProxies: string[];
  /** origins whose pages may use the automation API */
  corsAllowedOrigins: string[];
  version: string;
  /** webhook requests for the OpenAPI document */
  webhooks: WebhookDocument[];
  /** the console API */
  console: Omit<ConsoleDeps, 'publicUrl' | 'logger' | 'stopping'>;
  /** further JSON APIs, such as that of agents */
  apis?: MountedApi[];
  /** routers of public pages */
  pages?: MountedApi[];
  /** `health`: a worker, which serves health checks only */
  serves: 'everything' | 'health';
  /** resolves with degraded parts once the service can respond; rejects with the reason if it cannot */
  checkReady(): Promise<string[]>;
  /** what bodies of requests may hold in this process */
  bodies: BodyBudget;
  /** undefined: no operator routes and no metrics */
  operator: (OperatorDeps & { metrics: Pick<Metrics, 'request'> }) | undefined;
  /** share of requests that are logged, from 0 to 1 */
  accessLogSample: number;
  logger: Logger;
}

const REQUEST_ID = /^[\w.:-]{1,64}$/;

/** RFC 9112 §3.2 asks for 400: a proxy may have checked the one, and Node.js uses the other. */
function refuseSecondHost(req: Request, _res: Response, next: NextFunction): void {
  const isAmbiguous = (req.headersDistinct.host?.length ?? 0) > 1;
  next(
    isAmbiguous
      ? new DomainError('malformed_request', 'The request has more than one Host header. Send one.')
      : undefined,
  );
}

/** Health checks of the process and of what it depends on. */
function serveHealth(app: Express, { checkReady, logger }: Pick<AppDeps, 'checkReady' | 'logger'>): void {
  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', (_req, res) => {
    checkReady().then(
      (missing) => void res.json({ status: 'ready', ...(missing.length > 0 ? { missing } : {}) }),
      (error: unknown) =>
        sendProblem(
          res,
          new DomainError('unavailable', (error as Error).message),
          String(res.getHeader('X-Request-Id')),
          logger,
        ),
    );
  });
}

/** The JSON APIs. */
function serveApis(app: Express, deps: AppDeps): void {
  const { publicUrl, logger, stopping } = deps;
  app.use('/api/v1', allowOrigins(deps.corsAllowedOrigins), (_req: Request, res: Response, next: NextFunction) => {
    res.setHeader('X-Svc-Interface', INTERFACE_VERSION);
    next();
  });
  const document = { publicUrl: () => publicUrl, version: deps.version };
  app.get('/api/v1/openapi.json', serveOpenApi({ ...deps, ...document, base: '/api/v1' }));
  app.use('/api/v1', createApi(deps));
  const consoleDocument = serveOpenApi({
    base: '/console/api',
    routes: [...(deps.console.openRoutes ?? []), ...deps.console.routes],
    webhooks: [],
    ...document,
  });
  app.get('/console/api/openapi.json', consoleDocument);
  app.use('/console/api', createConsole({ ...deps.console, publicUrl, logger, stopping }));
  for (const { path, router } of deps.apis ?? []) app.use(path, router);
}

/** The console, the documentation and the public pages. */
function servePages(app: Express, { pages = [] }: Pick<AppDeps, 'pages'>): void {
  app.use('/console', createWeb());
  app.use('/docs', createDocs());
  app.use(PAGE_FILES, createPageFiles());
  for (const { path, router } of pages) app.use(path, router);
  app.get('/', (_req, res) => res.redirect(302, '/console/'));
}

/** Whether an address is that of a reverse proxy, whose connections are those of many clients. */
export const isTrustedProxy = (app: Express, address: string): boolean =>
  (app.get('trust proxy fn') as (address: string, hops: number) => boolean)(address, 0);

/** Builds the whole HTTP application. Features are passed in as routes. */
export function createApp(deps: AppDeps): Express {
  const { logger } = deps;
  const https = deps.publicUrl.startsWith('https:');
  const app = express();
  // X-Forwarded-For is accepted from these proxies only; otherwise clients could forge their address
  app.set('trust proxy', deps.trustedProxies);
  app.disable('x-powered-by');
  // weak body ETags are useless for If-Match; orders set their own strong ones
  app.disable('etag');
  app.set('query parser', 'simple');
  app.enable('case sensitive routing');
  shareBudget(app, deps.bodies);

  // before anything waits, and so before the first piece of a body arrives
  app.use((req: Request, res: Response, next: NextFunction) => {
    if (hasBody(req)) mergePieces(req, res);
    next();
  });
  const observers = [
    ...(deps.operator ? [deps.operator.metrics.request] : []),
    ...(deps.accessLogSample > 0 ? [createAccessLog(logger, deps.accessLogSample)] : []),
  ];
  if (observers.length > 0) app.use(observeRequests(observers));
  app.use((req: Request, res: Response, next: NextFunction) => {
    const sent = req.headers['x-request-id'];
    res.setHeader('X-Request-Id', typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID());
    next();
  });
  app.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] },
      },
      // over plain http, these two headers would make a LAN address unusable
      strictTransportSecurity: https,
      originAgentCluster: https,
    }),
  );

  app.use(refuseSecondHost);
  app.use(restoreEntityTags);
  serveHealth(app, deps);
  // also of a worker, whose metrics and queues are looked at with a browser
  app.get('/favicon.ico', createFavicon());
  if (deps.serves === 'everything') serveApis(app, deps);
  // not for the APIs, which compress only the responses that are long enough
  app.use(compress);
  if (deps.operator) app.use(createOperatorRouter(deps.operator));
  if (deps.serves === 'everything') servePages(app, deps);

  app.use((_req: Request, _res: Response, next: NextFunction) =>
    next(new DomainError('not_found', 'Page not found. The API is at /api/v1, its reference at /docs/api/.')),
  );
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    // of the operator's pages; the APIs log their own refusals
    logRefusal(logger, req, error);
    sendProblem(res, error, String(res.getHeader('X-Request-Id')), logger);
  });
  return app;
}

import { randomUUID } from 'node:crypto';
import compression from 'compression';
import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express';
import helmet from 'helmet';
import { DomainError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { type ApiDeps, createApi } from './api.ts';
import { type ConsoleDeps, createConsole } from './console.ts';
import { allowOrigins } from './cors.ts';
import { createDocs } from './docs.ts';
import { createOpenApi, INTERFACE_VERSION, type WebhookDocument } from './openapi.ts';
import { createOperatorDoor, type OperatorDeps, observeRequests } from './operator.ts';
import { createPageFiles, PAGE_FILES } from './page.tsx';
import { sendProblem } from './respond.ts';
import { createWeb } from './web.ts';

/** A door with an authentication and answers of its own. */
export interface Door {
  path: string;
  router: Router;
}

export interface AppDeps extends ApiDeps {
  /** decides whether browsers are told to insist on https */
  publicUrl: string;
  /** addresses and networks of reverse proxies */
  trustedProxies: string[];
  /** origins whose pages may use the automation API */
  corsAllowedOrigins: string[];
  version: string;
  /** the pushed events, for the OpenAPI document */
  webhooks: WebhookDocument[];
  /** the owner's door */
  console: Pick<ConsoleDeps, 'routes' | 'openRoutes' | 'authenticateSession'>;
  /** doors beside these two */
  doors?: Door[];
  /** `health`: a worker, which answers only whether it lives */
  serves: 'everything' | 'health';
  /** resolves when the service can answer, with what it does without; rejects with what is missing */
  checkReady(): Promise<string[]>;
  /** unset: the operator's door is shut and nothing is measured */
  operator: (OperatorDeps & { metrics: Pick<Metrics, 'request'> }) | undefined;
  logger: Logger;
}

/** Below it, compressing costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1_000;

/** A stream of events must reach its reader as it happens, not when a block of it is full. */
const mayCompress = (req: Request, res: Response) =>
  !String(res.getHeader('Content-Type')).startsWith('text/event-stream') && compression.filter(req, res);

const REQUEST_ID = /^[\w.:-]{1,64}$/;

/** The whole HTTP face. Knows no feature: it is handed their routes. */
export function createApp(deps: AppDeps): Express {
  const { logger } = deps;
  const https = deps.publicUrl.startsWith('https:');
  const app = express();
  // whose X-Forwarded-For is believed: of nobody else's, or anybody could be anyone
  app.set('trust proxy', deps.trustedProxies);
  app.disable('x-powered-by');
  // weak tags of bodies are no use for If-Match; orders carry strong ones of their own
  app.disable('etag');
  app.set('query parser', 'simple');
  app.enable('case sensitive routing');

  if (deps.operator) app.use(observeRequests(deps.operator.metrics));
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
      // told to a browser on plain http, these two would make a LAN address unusable
      strictTransportSecurity: https,
      originAgentCluster: https,
    }),
  );

  app.use(compression({ threshold: MIN_COMPRESSED_BYTES, filter: mayCompress }));

  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', (_req, res) => {
    deps.checkReady().then(
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
  if (deps.operator) app.use(createOperatorDoor(deps.operator));
  if (deps.serves === 'everything') {
    const openApi = createOpenApi({ ...deps, base: '/api/v1' });
    app.use('/api/v1', allowOrigins(deps.corsAllowedOrigins), (_req: Request, res: Response, next: NextFunction) => {
      res.setHeader('X-Svc-Interface', INTERFACE_VERSION);
      next();
    });
    app.get('/api/v1/openapi.json', (_req, res) => void res.json(openApi()));
    app.use('/api/v1', createApi(deps));
    const consoleDocument = createOpenApi({
      base: '/console/api',
      routes: [...(deps.console.openRoutes ?? []), ...deps.console.routes],
      webhooks: [],
      version: deps.version,
    });
    app.get('/console/api/openapi.json', (_req, res) => void res.json(consoleDocument()));
    app.use(
      '/console/api',
      createConsole({
        ...deps.console,
        publicUrl: deps.publicUrl,
        logger,
        stopping: deps.stopping,
        rateLimitPerMinute: deps.rateLimitPerMinute,
      }),
    );
    app.use('/console', createWeb());
    app.use('/docs', createDocs());
    app.use(PAGE_FILES, createPageFiles());
    for (const { path, router } of deps.doors ?? []) app.use(path, router);
    app.get('/', (_req, res) => res.redirect(302, '/console/'));
  }

  app.use((_req: Request, _res: Response, next: NextFunction) =>
    next(new DomainError('not_found', 'Page not found. The API is at /api/v1, its reference at /docs.')),
  );
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) =>
    sendProblem(res, error, String(res.getHeader('X-Request-Id')), logger),
  );
  return app;
}

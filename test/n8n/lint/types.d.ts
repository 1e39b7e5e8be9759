import type { prepare } from './artefacts.mjs';

/** The inputs of the checks. */
export type Artefacts = ReturnType<typeof prepare>;

export interface Check {
  name: string;
  /** @returns the problems, none if all is well */
  find(artefacts: Artefacts): string[] | Promise<string[]>;
}

/** What the checks read of package.json. */
export interface Manifest {
  [field: string]: unknown;
  name: string;
  license: string;
  homepage?: string;
  repository: { url?: string; directory?: string };
  scripts: Record<string, string>;
  peerDependencies: Record<string, string>;
  files: string[];
  n8n: { strict: boolean; nodes: string[]; credentials: string[] };
}

interface Property {
  name: string;
  options: { name: string; value: string }[];
  displayOptions: { show: { resource: string[] } };
}

interface Icon {
  light?: string;
  dark?: string;
}

/** What the built package describes, as `describe.cjs` prints it. */
export interface Described {
  nodes: {
    file: string;
    description: { name: string; version: number | number[]; icon?: Icon; properties: Property[] };
  }[];
  credentials: { file: string; icon?: Icon; documentationUrl?: string }[];
}

/** What n8n knows of a node beside its description. */
export interface Codex {
  node: string;
  nodeVersion: string;
  codexVersion: string;
  categories?: string[];
  resources?: Partial<Record<'credentialDocumentation' | 'primaryDocumentation', { url: string }[]>>;
}

/** What the tests read of an OpenAPI document. */
export interface Schema {
  type?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  items?: Schema;
}

export interface Root {
  paths: Record<
    string,
    Record<string, { operationId: string; parameters: { name: string; in: string; schema: Schema }[] }>
  >;
}

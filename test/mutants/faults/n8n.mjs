// The n8n package. Its suites run the built nodes, so each of these faults is compiled, which takes some seconds.
const nodes = ['test/n8n/nodes'];
const transport = 'nodes/Farmboard/shared/transport.ts';
const signature = 'nodes/Farmboard/trigger/signature.ts';

/** @type {import('../types.d.ts').Fault[]} */
export const n8n = [
  {
    id: 'idempotency-key-not-sent',
    breaks: 'A write is sent without an idempotency key.',
    file: 'nodes/Farmboard/shared/idempotency.ts',
    find: "const headers = { ...request.headers, 'Idempotency-Key': key };",
    replace: 'const headers = { ...request.headers };',
    suites: nodes,
    tests: 'differs between equal items of one run',
  },
  {
    id: 'refusals-tried-again',
    breaks: 'A request that was refused (4xx) is sent again.',
    file: transport,
    find: "const isTransient = 'networkCode' in outcome || ANSWER_LOST.has(outcome.status);",
    replace:
      "const isTransient = 'networkCode' in outcome || ANSWER_LOST.has(outcome.status) || Math.floor(outcome.status / 100) === 4;",
    suites: nodes,
    tests: 'aren’t made after',
  },
  {
    id: 'redirect-takes-the-token',
    breaks: 'The access token follows a redirect.',
    file: transport,
    find: 'disableFollowRedirect: true,',
    replace: 'disableFollowRedirect: false,',
    suites: nodes,
    tests: 'follows no redirect, which would receive the token',
  },
  {
    id: 'token-in-an-error',
    breaks: 'The error of a broken connection holds the access token.',
    file: transport,
    find: 'return { networkCode: readNetworkCode(error) };',
    replace:
      'return { networkCode: readNetworkCode(error) + JSON.stringify(await context.getCredentials(CREDENTIAL)) };',
    suites: nodes,
    tests: 'explains that nothing listens',
  },
  {
    id: 'retry-writes-again',
    breaks: 'Retry in the list of executions deducts a second time.',
    file: 'nodes/Farmboard/shared/idempotency.ts',
    find: 'context.getWorkflow().id, executionId, node.id',
    replace: 'context.getWorkflow().id, executionIdOf(context), node.id',
    suites: nodes,
    tests: 'Retry in the list of executions',
  },
  {
    id: 'paging-stops-after-the-first-page',
    breaks: 'Return All gives the first page only.',
    file: 'nodes/Farmboard/shared/paging.ts',
    find: 'if (items.length < perPage || page * perPage >= total || (records.size === known && !hasGrown)) break;',
    replace: 'if (items.length < perPage || page >= 1 || (records.size === known && !hasGrown)) break;',
    suites: nodes,
    tests: 'records in',
  },
  {
    id: 'item-pairing-wrong',
    breaks: 'Every result is paired to the first item.',
    file: 'nodes/Farmboard/Farmboard.node.ts',
    find: 'output.push({ json, pairedItem: { item: itemIndex } });',
    replace: 'output.push({ json, pairedItem: { item: 0 } });',
    suites: nodes,
    tests: 'outputs for each item its result or its error, paired to its input',
  },
  {
    id: 'status-typo-resets-the-order',
    breaks: 'A mistyped status resets the order silently.',
    file: 'nodes/Farmboard/resources/order/put-order.ts',
    find: "Prefer: 'handling=strict', ",
    replace: '',
    suites: nodes,
    tests: 'is refused, as every PUT of an order asks for strict handling',
  },
  {
    id: 'trigger-ignores-the-signature',
    breaks: 'The trigger starts the workflow whatever the signature says.',
    file: signature,
    find: "if (!isSame(signature, sign(secret, rawBody))) return 'the signature is wrong';",
    replace: "if (!isSame(signature, signature || sign(secret, rawBody))) return 'the signature is wrong';",
    suites: nodes,
    tests: 'refuses a body with any single byte changed',
  },
  {
    id: 'trigger-accepts-unsigned',
    breaks: 'The trigger starts the workflow without a signature.',
    file: signature,
    find: "if (typeof signature !== 'string' || signature === '') return 'there is no signature';",
    replace: `if (typeof signature !== 'string' || signature === '') {
    const unsigned = readEnvelope(rawBody);
    return unsigned ? { envelope: unsigned, signature: '' } : 'there is no signature';
  }`,
    suites: nodes,
    tests: 'can’t be replaced by any of 300 texts',
  },
  {
    id: 'trigger-accepts-old-events',
    breaks: 'An event that was overheard can be sent again at any time.',
    file: signature,
    find: 'if (!(age <= maxAgeSeconds * 1000)) return',
    replace: 'if (!(age <= maxAgeSeconds * 1_000_000)) return',
    suites: nodes,
    tests: 'is checked, so a recorded request is refused later',
  },
  {
    id: 'subscription-stays-after-unpublishing',
    breaks: 'Taking a workflow down leaves its subscription behind.',
    file: 'nodes/Farmboard/trigger/subscription.ts',
    find: `if (memory.subscriptionId) {
    await deleteSubscription(this, memory.subscriptionId);`,
    replace: `if (memory.subscriptionId) {
    await readBaseUrl(this);`,
    suites: nodes,
    tests: 'deletes the subscription and forgets it',
  },
];

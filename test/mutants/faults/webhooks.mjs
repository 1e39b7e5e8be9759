// Where webhooks may go, when and how often they are sent, and their signatures.
const guard = 'backend/src/webhooks/delivery/guard.ts';
const address = 'backend/src/webhooks/delivery/address.ts';
const guardSuite = 'backend/src/webhooks/delivery/guard.test.ts';
const sender = 'backend/src/webhooks/delivery/sender.ts';
const senderSuite = 'backend/src/webhooks/delivery/sender.test.ts';
const drain = 'backend/src/webhooks/delivery/drain.ts';
const drainSuite = 'backend/src/webhooks/delivery/drain.test.ts';
const deliveries = 'backend/src/webhooks/delivery/delivery-store.ts';
const transitions = 'backend/src/webhooks/delivery/transitions.ts';

export const webhooks = [
  {
    id: 'guard-not-asked-at-connect',
    breaks: 'The address of the connected socket is not checked.',
    file: sender,
    find: "target.checkAddress(socket.remoteAddress ?? '');",
    replace: '',
    suites: [senderSuite],
    tests: 'checks the address of the connected socket before the first byte, also with TLS',
  },
  {
    id: 'guard-ignores-resolved-addresses',
    breaks: 'What a name resolves to is not checked.',
    file: guard,
    find: 'if (!found.every((address) => isAllowed(policy, address, host, port))) throw new BlockedAddressError();',
    replace: '',
    suites: [guardSuite],
    tests: 'refuses a name with one forbidden address among allowed ones, in any position',
  },
  {
    id: 'guard-allows-metadata',
    breaks: 'The addresses where clouds serve credentials are like any others.',
    file: address,
    find: "if (METADATA.some((range) => isInRange(address, range))) return 'never';",
    replace: '',
    suites: [guardSuite],
    tests: 'nothing allows NEVER',
  },
  {
    id: 'guard-allows-own-database',
    breaks: "Webhooks may go to the service's own database and Redis.",
    file: guard,
    find: "if (tier === 'never' || own.isAt(address, tier, port)) return false;",
    replace: "if (tier === 'never') return false;",
    suites: [guardSuite],
    tests: 'on this host: refused at every address of the host, at that port only',
  },
  {
    id: 'guard-allows-user-and-password',
    breaks: 'A URL may hold a user name and a password.',
    file: guard,
    find: " && url.username === '' && url.password === ''",
    replace: '',
    suites: [guardSuite],
    tests: 'unusable URLs',
  },
  {
    id: 'guard-not-asked-at-a-change',
    breaks: 'The new URL of a channel is not checked.',
    file: 'backend/src/webhooks/subscriptions/subscription-service.ts',
    find: 'if (url !== undefined) await deps.guard.checkUrl(url);',
    replace: '',
    suites: ['test/contract/webhooks.test.ts'],
    tests: 'in POST and PUT with 422 blocked_address, naming the setting',
  },
  {
    id: 'redirect-followed',
    breaks: 'A redirect of a receiver is followed.',
    file: sender,
    find: `onResponseStart(_controller, status) {
      if (status >= 200) attempt.responseStatus = status;`,
    replace: `onResponseStart(_controller, status, headers) {
      if (status >= 200) attempt.responseStatus = status;
      if (status >= 300 && status < 400 && headers.location !== undefined) {
        const followed = fetch(new URL(String(headers.location), attempt.request.url), { method: 'POST' });
        this.onResponseEnd = () => void followed.finally(() => end(attempt, errorOfStatus(status), true));
      }`,
    suites: [senderSuite],
    tests: 'is redirect, and is not followed',
  },
  {
    id: 'answer-without-limit',
    breaks: 'An answer that never ends is read for ever.',
    file: sender,
    find: 'if (received > MAX_ANSWER_BYTES) end(attempt, errorOfStatus(attempt.responseStatus), false);',
    replace: '',
    suites: [senderSuite],
    tests: 'a body of exactly 64 KiB is read and its connection reused; one byte more is cut off',
  },
  {
    id: 'informational-responses-without-limit',
    breaks: 'A receiver that floods with informational responses keeps the process busy until the deadline.',
    file: sender,
    find: "if (informational > MAX_INFORMATIONAL_RESPONSES) end(attempt, 'invalid_response', false);",
    replace: '',
    suites: [senderSuite],
    tests: 'informational responses before its response: one more than 100 end the attempt',
  },
  {
    id: 'guard-allows-ipv4-compatible-addresses',
    breaks: 'IPv6 addresses that no network uses, such as ::7f00:1, count as public.',
    file: address,
    find: "return range === 'unicast' && isInRange(address, GLOBAL_V6) ? 'external' : 'never';",
    replace: "return range === 'unicast' ? 'external' : 'never';",
    suites: ['test/delivery/addresses.sqlite.test.ts'],
    tests: 'never reaches an internal address, and reaches every public one',
  },
  {
    id: 'no-deadline-of-an-attempt',
    breaks: 'A receiver that hangs is waited for without end.',
    file: sender,
    find: "setTimeout(() => end(attempt, 'timeout', false), timeoutMs)",
    replace: "setTimeout(() => end(attempt, 'timeout', false), 20 * timeoutMs)",
    suites: [senderSuite],
    tests: 'hangs before its response head: timeout, and the connection is closed',
  },
  {
    id: 'failure-sent-again',
    breaks: 'An attempt that failed is tried once more.',
    file: drain,
    find: 'const outcome: AttemptOutcome = await run.pool.send(await toRequest(deps, channel, delivery), mayBegin);',
    replace: `let outcome: AttemptOutcome = await run.pool.send(await toRequest(deps, channel, delivery), mayBegin);
      if (outcome.status === 'failed') outcome = await run.pool.send(await toRequest(deps, channel, delivery), mayBegin);`,
    suites: [drainSuite],
    tests: 'records a failure without retrying',
  },
  {
    id: 'sent-before-the-claim-is-committed',
    breaks: 'A request may leave before its claim is committed.',
    file: drain,
    find: `return storage.inTransaction(async ({ db, afterCommit }) => {
    if (finished.length > 0) {`,
    replace: `type Work = (tx: Parameters<Parameters<Storage['inTransaction']>[0]>[0]) => Promise<OwnClaim | undefined>;
    const early = (work: Work) =>
      new Promise<OwnClaim | undefined>((resolve, reject) => {
        const held = async (tx: Parameters<Work>[0]) => {
          resolve(await work(tx));
          await pause(50);
        };
        storage.inTransaction(held).catch(reject);
      });
    return early(async ({ db, afterCommit }) => {
    if (finished.length > 0) {`,
    suites: [drainSuite],
    tests: 'commits `sending` before sending',
  },
  {
    id: 'attempt-without-its-log-line',
    breaks: 'A delivery that was attempted writes no log line.',
    file: drain,
    find: 'reportEnded(deps, ended);',
    replace: '',
    suites: ['backend/src/webhooks/delivery/report-ended.test.ts'],
    tests: 'each attempt writes one line with its decision',
  },
  {
    id: 'interrupted-sent-again',
    breaks: 'What a dead process was sending is sent once more.',
    file: deliveries,
    find: "SET state = 'failed', error = ?, duration_ms = ${now} - attempted_at, claimed_until = NULL",
    replace: "SET state = 'pending', error = ?, duration_ms = ${now} - attempted_at, claimed_until = NULL",
    suites: ['backend/src/webhooks/delivery/sweep.test.ts'],
    tests: 'are interrupted immediately when the process is dead, and the channel is woken',
  },
  {
    id: 'claim-that-ran-out-is-sent',
    breaks: 'A process that stood still sends what others have given up.',
    file: drain,
    find: 'if (sinceClaim >= CLAIM_MS) return false;',
    replace: 'if (sinceClaim >= 2 * CLAIM_MS) return false;',
    suites: [drainSuite],
    tests: 'sends a claimed delivery only while its claim is valid',
  },
  {
    id: 'outcome-not-fenced',
    breaks: 'A late outcome is written over what others recorded.',
    file: deliveries,
    find: "deliveries.state = 'sending' AND deliveries.claimed_by = ?",
    replace: 'coalesce(?, deliveries.claimed_by) IS NOT NULL',
    suites: [drainSuite],
    tests: 'does not overwrite what another process recorded',
  },
  {
    id: 'sweep-ignores-pending',
    breaks: 'What no wake-up reached is never sent.',
    file: 'backend/src/webhooks/delivery/sweep.ts',
    find: 'new Set(await listWaitingChannels(storage.read, LOST_AFTER_MS, now))',
    replace: 'new Set<string>()',
    suites: ['backend/src/webhooks/delivery/sweep.test.ts'],
    tests: 'returns channels with deliveries pending for more than a second, each once',
  },
  {
    id: 'sweep-trusts-its-own-clock',
    breaks: 'A worker whose clock is ahead records deliveries in progress as interrupted.',
    file: 'backend/src/webhooks/delivery/sweep.ts',
    find: 'databaseClock = databaseTime',
    replace: 'databaseClock = () => String(Date.now())',
    suites: ['test/cluster/clocks.test.ts'],
    engine: 'postgres',
  },
  {
    id: 'sweep-interrupts-other-machines',
    breaks: 'What a process of another machine is sending is recorded as interrupted at once.',
    file: 'backend/src/webhooks/delivery/sweep.ts',
    find: 'const dead = isDead(worker, self);',
    replace: "const dead = isDead(worker, self) || worker.split('/')[0] !== hostname();",
    suites: ['backend/src/webhooks/delivery/sweep.test.ts'],
    tests: 'is left alone until its claim has run out',
  },
  {
    id: 'expired-is-sent',
    breaks: 'Deliveries are sent however old they are.',
    file: transitions,
    find: 'const expired = row.age > request.maxAgeMs;',
    replace: 'const expired = row.age < 0;',
    suites: [drainSuite],
    tests: 'expires deliveries older than an hour with a sequence and sends the rest',
  },
  {
    id: 'order-of-a-subject-lost',
    breaks: 'Events about one order leave beside each other.',
    file: transitions,
    find: 'busy.add(row.subject);',
    replace: '',
    suites: [drainSuite],
    tests: 'sends events of one subject one at a time in commit order while other subjects overtake them',
  },
  {
    id: 'more-than-four-at-once',
    breaks: 'A channel has five requests under way at once.',
    file: transitions,
    find: 'let capacity = request.maxInFlight - inFlight.length;',
    replace: 'let capacity = request.maxInFlight + 1 - inFlight.length;',
    suites: [drainSuite],
    tests: 'keeps at most four requests in flight across processes',
  },
  {
    id: 'numbers-with-a-gap',
    breaks: "A channel's numbers have gaps.",
    file: 'backend/src/webhooks/subscriptions/subscription-store.ts',
    find: 'last_sequence = last_sequence + ? WHERE',
    replace: 'last_sequence = last_sequence + 1 + ? WHERE',
    suites: [drainSuite],
    tests: 'processes that claim concurrently share the four slots without gaps in the sequence',
  },
  {
    id: 'tests-wait-behind-events',
    breaks: 'What a person asked for waits behind all events of the channel.',
    file: deliveries,
    find: 'ORDER BY queue, seq LIMIT ?',
    replace: 'ORDER BY seq LIMIT ?',
    suites: [drainSuite],
    tests: 'sends tests and resends first',
  },
  {
    id: 'history-not-cut',
    breaks: 'The delivery history answers more than the last 20 attempts.',
    file: deliveries,
    find: 'ORDER BY d.sequence DESC LIMIT ${HISTORY_LENGTH}`',
    replace: 'ORDER BY d.sequence DESC LIMIT 1000`',
    suites: ['test/contract/deliveries.test.ts'],
    tests: 'returns exactly the last 20 attempts of the subscription, newest first, each with status, error and time',
  },
  {
    id: 'disabled-channel-gets-events',
    breaks: 'A channel that is switched off gets events.',
    file: deliveries,
    find: ' AND s.enabled = 1',
    replace: '',
    suites: ['test/contract/deliveries.test.ts'],
    tests: 'aren’t sent with enabled=false, and pending ones are given up (channel_disabled)',
  },
  {
    id: 'old-secret-stays',
    breaks: 'A new signing secret is answered and not stored.',
    file: 'backend/src/webhooks/subscriptions/subscription-service.ts',
    find: '{ encryptedSecret: deps.secretBox.encrypt(secret, secretContext(id)) }',
    replace: '{}',
    suites: ['test/contract/deliveries.test.ts'],
    tests: 'returns a new secret once, and the old one is invalid at once',
  },
  {
    id: 'signature-over-other-bytes',
    breaks: 'What is signed is not what is sent.',
    file: 'backend/src/webhooks/delivery/render.ts',
    find: '.update(body)',
    replace: ".update(body).update('\\n')",
    suites: ['backend/src/webhooks/delivery/signing.test.ts'],
  },
  {
    id: 'signature-of-another-secret',
    breaks: 'The prefix of the secret is left out of the key.',
    file: 'backend/src/webhooks/delivery/render.ts',
    find: 'sign(secret, body)',
    replace: "sign(secret.replace('whsec_', ''), body)",
    suites: ['backend/src/webhooks/formats/formats.test.ts'],
    tests: 'sends the stored body and the URL unchanged, with its signature',
  },
  {
    id: 'chat-url-shown',
    breaks: 'The URL of a chat channel, which is its secret, is shown whole.',
    file: 'backend/src/webhooks/subscriptions/mask.ts',
    find: "if (format === 'signed') return url;",
    replace: "if (format !== 'discord') return url;",
    suites: ['backend/src/webhooks/formats/formats.test.ts'],
    tests: 'is masked where it is a secret',
  },
];

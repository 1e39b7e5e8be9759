import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../common/src/clock.ts';
import { sha256 } from '../../../common/src/crypto.ts';
import type { Logger } from '../../../common/src/logger.ts';
import type { Actor } from '../accounts/token.ts';
import type { PrinterService } from '../printers/printer-service.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { checkNames } from '../shared/names.ts';
import { requireRecentPassword } from '../shared/recent-password.ts';
import { logDone } from '../shared/security-log.ts';
import { createLastUse, type Used } from '../storage/last-use.ts';
import type { Storage } from '../storage/open.ts';
import { createAgentToken, isAgentToken } from './agent.ts';
import * as store from './agent-store.ts';
import type { Agent, AgentInput } from './report-schema.ts';
import { findSignatureFault } from './signature.ts';

const LAST_USED_INTERVAL_MS = 60_000;

/** The agent that a request is authenticated as. Its name appears in histories and ledgers, as a token's does. */
export interface AgentActor extends Actor {
  agent: Agent;
  /** the whole token, which is the key of signatures */
  token: string;
  lastUsedAt: number | null;
}

interface AgentDeps {
  storage: Storage;
  clock: Clock;
  logger: Logger;
  printers: Pick<PrinterService, 'holdPrinter' | 'holdGroup'>;
}

export type AgentService = ReturnType<typeof createAgentService>;

const unauthorized = (detail: string) => new DomainError('unauthorized', detail);

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createAgentService({ storage, clock, logger, printers }: AgentDeps) {
  const recordUse = createLastUse(
    { storage, clock, logger },
    'agent',
    LAST_USED_INTERVAL_MS,
    async (tx, { id, accountId, agent }: Used & AgentActor, now) => {
      await store.touchAgent(tx.db, id, now);
      tx.changed(accountId, { kind: 'report', id: agent.printer_id ?? (agent.printer_group_id as string) });
    },
  );

  return {
    /** The agents that are not revoked, without their tokens. */
    list: (accountId: string): Promise<Agent[]> => store.listAgents(storage.read, accountId),

    /**
     * Creates an agent for a printer or a group. Its token is returned here only.
     * @throws DomainError validation_error, password_required
     */
    async create(actor: Actor, input: AgentInput): Promise<{ agent: Agent; token: string }> {
      requireRecentPassword(actor, clock());
      const { accountId, tokenId } = actor;
      const { printer_id, printer_group_id } = input;
      if ((printer_id === undefined) === (printer_group_id === undefined)) {
        throw invalid('/printer_id', 'Name either a printer or a printer group, not both.');
      }
      checkNames(['name'], input);
      const token = createAgentToken();
      const agent = await storage.inTransaction(async (tx) => {
        if (printer_id !== undefined && !(await printers.holdPrinter(tx.db, accountId, printer_id))) {
          throw invalid('/printer_id', 'No printer with this ID in the account.');
        }
        if (printer_group_id !== undefined && !(await printers.holdGroup(tx.db, accountId, printer_group_id))) {
          throw invalid('/printer_group_id', 'No printer group with this ID in the account.');
        }
        const created = await store.insertAgent(tx.db, accountId, {
          id: newId(),
          name: input.name.trim(),
          printerId: printer_id ?? null,
          groupId: printer_group_id ?? null,
          hash: sha256(token),
          hint: token.slice(-4),
          signedOnly: input.signed_only ?? false,
          at: clock(),
        });
        tx.changed(accountId, { kind: 'printer', id: printer_id ?? (printer_group_id as string) });
        return created;
      });
      logDone(logger, 'agent_created', { account_id: accountId, agent_id: agent.id, by_session: tokenId });
      return { agent, token };
    },

    /** Revokes an agent: its next request is refused, its reports stay. @throws DomainError not_found */
    async revoke({ accountId, tokenId }: Actor, id: string): Promise<void> {
      await storage.inTransaction(async (tx) => {
        const of = await store.revokeAgent(tx.db, accountId, id, clock());
        if (of === undefined) throw notFound();
        tx.changed(accountId, { kind: 'printer', id: of });
      });
      logDone(logger, 'agent_revoked', { account_id: accountId, agent_id: id, by_session: tokenId });
    },

    /** The agent that an `Authorization` header belongs to. @throws DomainError unauthorized */
    async authenticate({ authorization }: IncomingHttpHeaders): Promise<AgentActor> {
      if (authorization === undefined)
        throw unauthorized('Send the agent token in the Authorization header: Bearer agt_…');
      const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
      if (!token || !isAgentToken(token)) {
        throw unauthorized(
          'The Authorization header must be "Bearer " followed by an agent token, which starts with agt_. Access tokens (pat_) only work at /api/v1.',
        );
      }
      const found = await store.findAgentByHash(storage.read, sha256(token));
      if (!found) throw unauthorized('This agent token is invalid or has been revoked.');
      const { agent, account, lastUsedAt } = found;
      return {
        accountId: account.id,
        accountName: account.name,
        email: account.email,
        tokenId: agent.id,
        tokenName: agent.name,
        tokenExpiresAt: null,
        passwordCheckedAt: null,
        agent,
        token,
        lastUsedAt,
      };
    },

    /**
     * Verifies the signature of a request, if it has one or must have one, and records when the agent was last seen.
     * @param body undefined if its bytes were not kept
     * @throws DomainError unauthorized
     */
    admit(actor: AgentActor, method: string, headers: IncomingHttpHeaders, body: Buffer | undefined): void {
      checkSignature(actor, method, headers['x-agent-signature'], body, clock());
      recordUse({ ...actor, id: actor.agent.id });
    },
  };
}

function checkSignature(
  actor: AgentActor,
  method: string,
  signature: string | string[] | undefined,
  body: Buffer | undefined,
  now: number,
): void {
  if (signature !== undefined) {
    if (!body) throw unauthorized("The signature of a form with files can't be verified. Send the report as JSON.");
    const fault = findSignatureFault(String(signature), actor.token, body, now);
    if (fault !== undefined) throw unauthorized(fault);
  } else if (actor.agent.signed_only && method === 'POST') {
    throw unauthorized(
      "This agent accepts signed reports only. Send X-Agent-Signature, or create an agent that doesn't require signatures.",
    );
  }
}

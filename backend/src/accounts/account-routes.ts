import { z } from 'zod';
import { toIsoOrNull } from '../../../common/src/clock.ts';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { type Route, routesOf } from '../http/route.ts';

const { get } = routesOf('Account');

const Me = z
  .object({
    account_id: z.string().meta({ example: EXAMPLE_IDS.account }),
    account_name: z.string().meta({ example: 'Layer Workshop' }),
    email: z.string().meta({ example: 'you@example.org' }),
    token_name: z.string().meta({ example: 'n8n' }),
    token_expires_at: z
      .string()
      .nullable()
      .describe('ISO 8601; null if it never expires')
      .meta({ example: '2027-11-22T09:30:00.000Z' }),
  })
  .meta({ id: 'Me' });

/** The caller's account and token; clients use it to test their credentials. */
export const accountRoutes = (): Route[] => [
  get('/me', {
    operationId: 'getMe',
    summary: 'The account and the token of this request',
    description: 'Returns 200 only if the access token is valid. Use it to test credentials.',
    responses: { 200: { description: 'The account of the token', schema: Me } },
    handle: async ({ actor }) => ({
      account_id: actor.accountId,
      account_name: actor.accountName,
      email: actor.email,
      token_name: actor.tokenName,
      token_expires_at: toIsoOrNull(actor.tokenExpiresAt),
    }),
  }),
];

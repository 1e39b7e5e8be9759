import { z } from 'zod';
import { type Route, route } from '../http/route.ts';
import { LANGUAGES } from '../shared/language.ts';
import type { SampleService } from './sample-service.ts';

const tag = 'Sample data';

const SampleState = z
  .object({
    has_sample: z.boolean().describe('the account has sample data that can be removed'),
    is_empty: z.boolean().describe('the account is empty, so sample data can be added'),
  })
  .meta({ id: 'SampleState' });

const SampleQuery = z.strictObject({
  language: z.enum(LANGUAGES).default('en').describe('the language of the sample texts'),
});

/** Console routes that add and remove the sample farm. */
export function sampleRoutes(sample: SampleService): Route[] {
  return [
    route({
      method: 'get',
      path: '/sample-data',
      operationId: 'getSampleData',
      tag,
      summary: 'Get the state of the sample data',
      responses: { 200: { description: 'The state', schema: SampleState } },
      handle: async ({ actor }) => ({ status: 200, body: await sample.state(actor.accountId) }),
    }),
    route({
      method: 'post',
      path: '/sample-data',
      operationId: 'fillWithSampleData',
      tag,
      summary: 'Add sample data to an empty account',
      description: "Sends no events. Rejected if the account isn't empty.",
      query: SampleQuery,
      errors: ['validation_error'],
      responses: { 200: { description: 'Filled', schema: SampleState } },
      async handle({ actor, query }) {
        await sample.fill(actor.accountId, { onlyEmpty: true, language: query.language });
        return { status: 200, body: await sample.state(actor.accountId) };
      },
    }),
    route({
      method: 'delete',
      path: '/sample-data',
      operationId: 'removeSampleData',
      tag,
      summary: 'Remove the sample data',
      description: 'With what was changed on it since. What was added by hand or by an automation stays.',
      responses: { 204: { description: 'Removed' } },
      async handle({ actor }) {
        await sample.clear(actor.accountId);
        return { status: 204 };
      },
    }),
  ];
}

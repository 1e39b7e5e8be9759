import { z } from 'zod';
import { type Route, routesOf } from '../http/route.ts';
import { LANGUAGES } from '../shared/language.ts';
import type { SampleService } from './sample-service.ts';

const { get, post, remove } = routesOf('Sample data');

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
    get('/sample-data', {
      operationId: 'getSampleData',
      summary: 'Get the state of the sample data',
      responses: { 200: { description: 'The state', schema: SampleState } },
      handle: ({ actor }) => sample.state(actor.accountId),
    }),
    post('/sample-data', {
      operationId: 'fillWithSampleData',
      summary: 'Add sample data to an empty account',
      description: "Sends no events. Rejected if the account isn't empty.",
      query: SampleQuery,
      errors: ['validation_error'],
      responses: { 200: { description: 'Filled', schema: SampleState } },
      async handle({ actor, query }) {
        await sample.fill(actor.accountId, { onlyEmpty: true, language: query.language });
        return await sample.state(actor.accountId);
      },
    }),
    remove('/sample-data', {
      operationId: 'removeSampleData',
      summary: 'Remove the sample data',
      description: 'With what was changed on it since. What was added by hand or by an automation stays.',
      responses: { 204: { description: 'Removed' } },
      handle: ({ actor }) => sample.clear(actor.accountId),
    }),
  ];
}

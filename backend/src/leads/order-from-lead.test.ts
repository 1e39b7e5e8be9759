import type { Lead } from './lead-schema.ts';
import { toOrder } from './order-from-lead.ts';

const nameOf = (description: string, contact = 'Vera') => {
  const lead = { description, contact, client_email: 'vera@b.example', budget: '', deadline: '', file: null };
  const { model_name, customer_name } = toOrder(lead as unknown as Lead, 'en', '2026-11-28');
  return [model_name, customer_name];
};

test('an order is named after the first line that shows something', () => {
  expect(nameOf('Wall bracket\nin black')).toEqual(['Wall bracket', 'Vera']);
  expect(nameOf('\u200b\n\u0007\r\n Two\tvases\u202e \n', '\u3164')).toEqual(['Two vases', 'vera@b.example']);
  // requests from before the form asked for something visible
  expect(nameOf('\u200b', '')).toEqual(['vera@b.example', 'vera@b.example']);
});

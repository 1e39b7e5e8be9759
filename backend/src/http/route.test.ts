import { routesOf } from './route.ts';

const { post } = routesOf('Orders');

test('a route with several responses must say which one it sends', () => {
  const several = { 200: { description: 'There already' }, 201: { description: 'New' } };
  const named = { operationId: 'createOrder', summary: 'Create an order', responses: several };
  expect(() => post('/print-jobs', { ...named, handle: async () => ({}) })).toThrow('post /print-jobs has several');
  expect(post('/print-jobs', { ...named, reply: async () => ({ status: 201 }) }).method).toBe('post');
});

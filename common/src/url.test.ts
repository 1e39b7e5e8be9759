import { parseUrl } from './url.ts';

test.each(['http://bücher.example/', 'https://n8n.example:5678/webhook?a=b', 'redis://[::1]:6379'])(
  'accepts %s',
  (text) => {
    expect(parseUrl(text)?.href).toBe(new URL(text).href);
  },
);

test.each(['', 'n8n.example', 'http://', 'http://[', 'postgres://['])('refuses "%s"', (text) => {
  expect(parseUrl(text)).toBeNull();
});

test('accepts an internationalized name even after so many calls that the engine has optimized them', () => {
  let refused = 0;
  for (let call = 0; call < 50_000; call++) if (!parseUrl('http://bücher.example/')) refused += 1;
  expect(refused).toBe(0);
});

import { answerChallenge, type Challenge, readChallenge } from './digest-auth.ts';

const read = (header: string): Challenge => {
  const challenge = readChallenge(header);
  if (!challenge) throw new Error('not read');
  return challenge;
};
const responseOf = (authorization: string) => /response="([0-9a-f]+)"/.exec(authorization)?.[1];

test('matches the example of RFC 2617 §3.5', () => {
  const challenge = read(
    'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"',
  );
  const authorization = answerChallenge(challenge, {
    user: 'Mufasa',
    password: 'Circle Of Life',
    method: 'GET',
    uri: '/dir/index.html',
    count: 1,
    cnonce: '0a4f113b',
  });
  expect(responseOf(authorization)).toBe('6629fae49393a05397450978507c4ef1');
  expect(authorization).toContain('nc=00000001');
  expect(authorization).toContain('opaque="5ccc069c403ebaf9f0171e9517f40e41"');
});

test('matches the examples of RFC 7616 §3.9.1, MD5 and SHA-256, offered in one header', () => {
  const more =
    'realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
  const answer = {
    user: 'Mufasa',
    password: 'Circle of Life',
    method: 'GET',
    uri: '/dir/index.html',
    count: 1,
    cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
  };
  const md5 = answerChallenge(read(`Digest ${more}, algorithm=MD5`), answer);
  expect(responseOf(md5)).toBe('8ca523f5e9506fed4657c9700eebdbec');
  const both = `Digest ${more}, algorithm=SHA-256, Digest ${more}, algorithm=MD5`;
  expect(responseOf(answerChallenge(read(both), answer))).toBe(
    '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  );
  // unknown algorithms are skipped
  expect(read(`Digest ${more}, algorithm=SHA-512-256, Digest ${more}, algorithm=MD5`).algorithm).toBe('MD5');
});

test('matches the example of RFC 2069, without a quality of protection', () => {
  const challenge = read('Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"');
  const authorization = answerChallenge(challenge, {
    user: 'Mufasa',
    password: 'CircleOfLife',
    method: 'GET',
    uri: '/dir/index.html',
    count: 1,
  });
  // erratum 749 of RFC 2069
  expect(responseOf(authorization)).toBe('1949323746fe6a43ef61f9606e7febea');
  expect(authorization).not.toContain('qop');
});

test('escapes quotes in names and refuses unsupported challenges', () => {
  const challenge = read('Basic realm="a, b", Digest realm="say \\"x\\"", nonce="n", qop="auth"');
  expect(challenge.realm).toBe('say "x"');
  expect(answerChallenge(challenge, { user: 'a"b', password: '', method: 'GET', uri: '/', count: 255 })).toMatch(
    /^Digest username="a\\"b", realm="say \\"x\\"".*nc=000000ff/,
  );
  for (const header of ['Basic realm="x"', 'Digest realm="x"', 'Digest nonce="x", realm="y", qop="auth-int"', '']) {
    expect(readChallenge(header)).toBeNull();
  }
});

test('reads a challenge of up to 2,000 characters', () => {
  const padded = (length: number) => 'Digest realm="r", nonce="n", opaque="'.padEnd(length - 1, 'a').concat('"');
  expect(read(padded(2_000)).nonce).toBe('n');
  expect(readChallenge(padded(2_001))).toBeNull();
});

import fc from 'fast-check';
import { CODE_POINT } from '../../test/kit/code-point.ts';
import { createSecretBox, createToken, isWellFormedToken, randomBase62, sha256 } from './crypto.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('tokens', () => {
  test('are well-formed, pass their own checksum and never repeat', () => {
    const tokens = new Set<string>();
    const used = new Set<string>();
    let wrong = 0;
    for (let i = 0; i < 100_000; i++) {
      const token = createToken('pat');
      if (!/^pat_[0-9A-Za-z]{36}$/.test(token) || !isWellFormedToken('pat', token)) wrong += 1;
      if (i < 2_000) for (const character of token.slice(4, 34)) used.add(character);
      tokens.add(token);
    }
    expect(wrong).toBe(0);
    expect(tokens.size).toBe(100_000);
    expect([...used].sort().join('')).toBe(BASE62);
  });

  test('one changed character anywhere is refused', () => {
    const accepted: string[] = [];
    for (let i = 0; i < 100; i++) {
      const token = createToken('pat');
      for (let at = 0; at < token.length; at++) {
        for (const other of [BASE62[(i + at) % 62], BASE62[(i * 7 + at * 3 + 11) % 62], '_', '-', 'é', ' ']) {
          if (other === token[at]) continue;
          const changed = token.slice(0, at) + other + token.slice(at + 1);
          if (isWellFormedToken('pat', changed)) accepted.push(`${token} → ${changed}`);
        }
      }
    }
    expect(accepted).toEqual([]);
  });

  test('swapped neighbors, a missing or additional character, and another prefix are refused', () => {
    for (let i = 0; i < 200; i++) {
      const token = createToken('pat');
      const at = 4 + (i % 35);
      if (token[at] !== token[at + 1]) {
        const exchanged = token.slice(0, at) + token[at + 1] + token[at] + token.slice(at + 2);
        expect(isWellFormedToken('pat', exchanged)).toBe(false);
      }
      expect(isWellFormedToken('pat', token.slice(0, -1))).toBe(false);
      expect(isWellFormedToken('pat', `${token}0`)).toBe(false);
      expect(isWellFormedToken('pat', ` ${token}`)).toBe(false);
      expect(isWellFormedToken('agt', token)).toBe(false);
    }
  });

  test('arbitrary text neither throws nor passes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: CODE_POINT }), fc.string({ minLength: 36, maxLength: 36 })), (text) => {
        expect(isWellFormedToken('pat', text)).toBe(false);
        expect(isWellFormedToken('pat', `pat_${text}`)).toBe(false);
      }),
    );
  });

  test.each([0, 1, 30, 1000])('randomBase62(%i) has that length', (length) => {
    expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });
});

test('sha256 matches the published test vector', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

describe('the secret box', () => {
  const box = createSecretBox('k'.repeat(44));

  test('decrypts what it encrypted, with a different ciphertext each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (plain, context) => {
        const encrypted = box.encrypt(plain, context);
        expect(box.decrypt(encrypted, context)).toBe(plain);
        expect(box.encrypt(plain, context)).not.toBe(encrypted);
      }),
    );
  });

  test('does not reveal its content', () => {
    const encrypted = box.encrypt('whsec_visible', 'a');
    expect(encrypted).not.toContain('visible');
    expect(Buffer.from(encrypted.slice(3), 'base64').toString('latin1')).not.toContain('visible');
  });

  test('decrypts with the same key after a restart, and with no other', () => {
    const encrypted = box.encrypt('secret', 'a');
    expect(createSecretBox('k'.repeat(44)).decrypt(encrypted, 'a')).toBe('secret');
    expect(() => createSecretBox('K'.repeat(44)).decrypt(encrypted, 'a')).toThrow();
    expect(createSecretBox('K'.repeat(44)).tryDecrypt(encrypted, 'a')).toBeUndefined();
    expect(box.tryDecrypt(encrypted, 'a')).toBe('secret');
  });

  test('does not decrypt in another context', () => {
    const encrypted = box.encrypt('secret', 'subscription:1:url');
    for (const context of ['subscription:2:url', 'subscription:1:secret', '']) {
      expect(() => box.decrypt(encrypted, context)).toThrow();
    }
  });

  test('detects a changed bit anywhere and a missing or additional byte', () => {
    const bytes = Buffer.from(box.encrypt('secret', 'a').slice(3), 'base64');
    const open = (changed: Buffer) => box.decrypt(`v1.${changed.toString('base64')}`, 'a');
    expect(open(bytes)).toBe('secret');
    for (let at = 0; at < bytes.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(bytes);
        changed[at] = changed[at]! ^ (1 << bit);
        expect(() => open(changed)).toThrow();
      }
      expect(() => open(bytes.subarray(0, at))).toThrow();
    }
    expect(() => open(Buffer.concat([bytes, Buffer.from([0])]))).toThrow();
  });

  test('refuses a shortened authentication tag', () => {
    const bytes = Buffer.from(box.encrypt('', 'a').slice(3), 'base64');
    expect(bytes).toHaveLength(12 + 16);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => box.decrypt(`v1.${bytes.subarray(0, length).toString('base64')}`, 'a')).toThrow();
    }
  });

  test.each(['', 'v1.', 'v2.AAAA', 'plain text', 'whsec_abc'])('refuses %j', (text) => {
    expect(() => box.decrypt(text, 'a')).toThrow();
  });
});

import { DAY_MS } from '../../../common/src/clock.ts';
import { createSigner } from '../../../common/src/crypto.ts';
import { createDevices, DEVICE_LIFETIME_MS } from './device-cookie.ts';

test('a device is recognized for one account, under one password, for 400 days, and unchanged', () => {
  let now = Date.UTC(2026, 10, 28);
  const devices = createDevices({ sign: createSigner('a key of the tests, long enough', 'devices'), clock: () => now });
  const owner = { accountId: 'a', hash: '$argon2id$1' };
  const cookie = devices.issue(owner);
  const [id, at, signature] = cookie.split('.') as [string, string, string];
  expect(devices.recognize(cookie, owner)).toBe(id);
  expect(devices.recognize(cookie, { ...owner, accountId: 'b' })).toBeUndefined();
  expect(devices.recognize(cookie, { ...owner, hash: '$argon2id$2' })).toBeUndefined();
  const later = (Number.parseInt(at, 36) + DAY_MS).toString(36);
  for (const forged of [undefined, '', id, `${id}.${signature}`, `${id}.${later}.${signature}`, `${id}..${signature}`])
    expect(devices.recognize(forged, owner)).toBeUndefined();
  now += DEVICE_LIFETIME_MS - 1;
  expect(devices.recognize(cookie, owner)).toBe(id);
  now += 1;
  expect(devices.recognize(cookie, owner)).toBeUndefined();
});

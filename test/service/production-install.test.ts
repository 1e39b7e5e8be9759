import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

interface LockEntry {
  dev?: boolean;
  link?: boolean;
}

const { packages } = JSON.parse(readFileSync(resolve(__dirname, '../../package-lock.json'), 'utf8')) as {
  packages: Record<string, LockEntry>;
};

test('installs nothing of n8n in production, as each of its packages is for development alone', () => {
  const ofN8n = Object.entries(packages).filter(([path]) => /node_modules\/(n8n-|@n8n\/)/.test(path));
  expect(ofN8n.map(([path]) => path)).toEqual(expect.arrayContaining(['node_modules/n8n-core']));
  expect(ofN8n.filter(([, { dev, link }]) => !dev && !link).map(([path]) => path)).toEqual([]);
});

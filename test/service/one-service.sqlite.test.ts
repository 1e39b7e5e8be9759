import { rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HAS_REDIS, REDIS_URL } from '../kit/engine.ts';
import { createFastClock } from '../kit/fast-clock.ts';
import { interfere } from '../kit/place.ts';
import {
  createEmptyDataFolder,
  type DataFolder,
  type Env,
  farmboard,
  type Service,
  startService,
} from '../kit/service.ts';

let folder: DataFolder;
let folderLink: string;
let running: Promise<Service>[];

beforeEach(() => {
  folder = createEmptyDataFolder('sqlite');
  folderLink = `${dirname(folder.file)}.link`;
  running = [];
});

afterEach(async () => {
  // those that were refused have ended
  for (const service of await Promise.allSettled(running))
    if (service.status === 'fulfilled') await service.value.kill();
  rmSync(folderLink, { force: true });
  folder.remove();
});

function start(more: Env = {}): Promise<Service> {
  const service = startService({ ...folder.env, REDIS_URL: undefined, ...more });
  running.push(service);
  return service;
}

/** Other names of the file, as the volume of another container may have. */
function namesOfFile(): string[] {
  symlinkSync(folder.file, `${folder.file}.link`);
  symlinkSync(dirname(folder.file), folderLink);
  return [folder.file, `${folder.file}.link`, join(folderLink, basename(folder.file))];
}

/** Starts a service, and calls `act` with its process when it tells that it waits. */
const startWaiting = (act: Parameters<typeof interfere>[3]) =>
  interfere(`${folder.file} is in use`, ['serve'], folder.env, act);

test('a second service waits, says for what, and then refuses in one line, under any name of the file', async () => {
  await start();
  // they wait as many seconds as of their own clock
  const { env } = createFastClock(20);
  for (const starting of namesOfFile().map((file) => start({ ...env, DATABASE_URL: `sqlite:${file}` })))
    await expect(starting).rejects.toThrow(
      /is in use by another Farmboard service\. Waiting up to 30 s for it to stop\.\nFarmboard can't start: DATABASE_URL: .*Stop it first[^\n]*$/,
    );
  // commands work beside a service
  expect(await farmboard(['check'], folder.env)).toMatchObject({ code: 0, stdout: 'No problems found.\n' });
});

test('a second service starts as soon as the first was killed or has stopped', async () => {
  const first = await start();
  let starting: Promise<Service> | undefined;
  const { code } = await startWaiting((other) => {
    starting = start();
    // a signal ends the wait
    other.kill('SIGTERM');
  });
  expect(code).toBe(0);
  await first.kill();
  const second = (await starting) as Service;
  const third = start();
  expect(await second.stop()).toBe(0);
  expect((await fetch(`${(await third).origin}/readyz`)).status).toBe(200);
});

if (HAS_REDIS)
  test('services that share Redis start together, but not beside one without', async () => {
    const alone = await start();
    let started = 0;
    const shared = [start({ REDIS_URL }), start({ REDIS_URL })].map(async (starting) => {
      const service = await starting;
      started += 1;
      return service;
    });
    await startWaiting((other) => other.kill('SIGTERM'));
    expect(started).toBe(0);
    await alone.stop();
    const services = await Promise.all(shared);
    await startWaiting((other) => other.kill('SIGTERM'));
    for (const { origin } of services) expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  });

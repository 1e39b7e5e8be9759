import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createClient } from '../kit/client.ts';
import { inspectDatabase } from '../kit/database.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { createFaultyDisk, type FaultyDisk } from '../kit/faulty-disk.ts';
import { times } from '../kit/length.ts';
import { refused } from '../kit/place.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { startReceiver } from '../kit/receiver.ts';
import { findAllFaults, waitForDeliveries } from '../kit/record-check.ts';
import { countAcknowledged, createFilament, createRecordedLoad, LOAD_EVENTS } from '../kit/recorded-load.ts';
import { createAccountWithToken, createDataFolder, farmboard, type Service, startService } from '../kit/service.ts';

const POINTS = times(5, 100);
const SEED = seedFrom('DISK_SEED');
/** A change writes some tens of kilobytes. */
const MAX_SPACE = 300_000;
const NO_SPACE = 'Nothing can be written to the database. Is its disk full?';

const random = createRandom(SEED);

async function readReadiness({ origin }: Service) {
  const response = await fetch(`${origin}/readyz`);
  const { code, detail } = (await response.json()) as { code?: string; detail?: string };
  return { status: response.status, code, detail };
}

test(`a disk full at ${POINTS} points loses nothing acknowledged and keeps nothing refused (DISK_SEED=${SEED})`, async () => {
  const data = createDataFolder();
  const disk: FaultyDisk = createFaultyDisk(data.file, dirname(data.file));
  const env = { ...data.env, ...disk.env, WEBHOOK_ALLOWED_HOSTS: 'loopback' };
  const { token } = await createAccountWithToken(env);
  const service = await startService(env);
  const receiver = await startReceiver();
  const inspector = await inspectDatabase(data.file);
  try {
    const client = await createClient(service.origin, token);
    const subscription = await client.post('/webhook-subscriptions', { url: receiver.url, events: LOAD_EVENTS });
    const refusals = new Map<string, number>();
    const load = createRecordedLoad({ random, token, filamentId: await createFilament(client), refusals });
    let acks = 0;
    const running = load.run([service.origin], () => {
      acks += 1;
    });
    const acksAfter = (before: number) =>
      eventually(
        () => acks,
        (made) => made > before + 5,
      );

    for (let point = 1; point <= POINTS; point++) {
      await acksAfter(acks);
      const refused = () => refusals.get('503 unavailable') ?? 0;
      const before = refused();
      disk.setSpace(random.between(0, MAX_SPACE));
      await eventually(refused, (now) => now > before + 10);
      expect(await readReadiness(service)).toEqual({ status: 503, code: 'unavailable', detail: NO_SPACE });
      // what can be read is still served
      expect((await client.get('/print-jobs')).status).toBe(200);
      disk.setSpace(undefined);
      await expectSoon(() => readReadiness(service), expect.objectContaining({ status: 200 }));
    }
    await acksAfter(acks);
    await running.stop();
    await waitForDeliveries(inspector);
    process.stdout.write(
      `disk-full.test: seed ${SEED}: ${POINTS} points, ${countAcknowledged(load.record)} acknowledged writes, ${[...refusals]}\n`,
    );

    disk.setSpace(0);
    const target = `${data.file}.copy`;
    for (const [args, file] of [
      [['backup', target], target],
      [
        ['account', 'create', '--email', 'a@b.example', '--name', 'A', '--password', 'correct horse battery'],
        data.file,
      ],
    ] as const)
      expect(await refused([...args], env)).toBe(
        `${file}: the disk is full. Free some space on it, then run the command again. (SQLITE_FULL)`,
      );
    expect(existsSync(target)).toBe(false);
    disk.setSpace(undefined);

    expect(load.unexpected).toEqual([]);
    const subscriptions = [{ id: String(subscription.body.id), received: receiver.received }];
    expect(await findAllFaults(load.record, subscriptions, inspector)).toEqual([]);
    expect(await farmboard(['check'], env)).toEqual({ code: 0, stdout: 'No problems found.\n', stderr: '' });
  } finally {
    await inspector.close();
    await service.kill();
    await receiver.stop();
    data.remove();
  }
});

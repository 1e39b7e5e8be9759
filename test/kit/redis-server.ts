import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from './ports.ts';

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('connect', () => socket.write('PING\r\n')).on('error', () => resolve(false));
    socket.on('data', () => {
      socket.destroy();
      resolve(true);
    });
  });

export type OwnRedis = Awaited<ReturnType<typeof startOwnRedis>>;

/** A Redis for this test alone, which may stop and empty it. It stores nothing on disk, so a stop loses everything. */
export async function startOwnRedis() {
  const port = await freePort();
  let child: ChildProcess | undefined;
  async function start(): Promise<void> {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = spawn('redis-server', settings, { stdio: 'ignore' });
    while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  async function stop(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    /** It stays connected, and does not respond. */
    pause: () => void child?.kill('SIGSTOP'),
    async flush(): Promise<void> {
      const socket = connect({ host: '127.0.0.1', port });
      socket.write('FLUSHALL\r\n');
      await once(socket, 'data');
      socket.destroy();
    },
  };
}

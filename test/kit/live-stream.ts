import { type IncomingMessage, request } from 'node:http';
import type { Browser } from './console-client.ts';

interface LiveMessage {
  kind: string;
  id: string;
  at: number;
}

/** A page that listens for live updates. Resolves once it is connected. */
export async function listen(browser: Browser, origin: string) {
  const heard: LiveMessage[] = [];
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      Cookie: `farmboard=${browser.cookie()}`,
      Accept: 'text/event-stream',
      'Accept-Encoding': 'gzip, br',
    };
    const asked = request(`${origin}/console/api/live`, { headers, agent: false }, (answer) => {
      if (answer.statusCode === 200) answer.once('data', () => resolve(answer));
      else reject(new Error(String(answer.statusCode)));
    });
    asked.on('error', reject);
    asked.end();
  });
  let over = false;
  let text = '';
  const ended = new Promise<void>((resolve) => res.on('close', resolve));
  ended.then(() => {
    over = true;
  });
  res.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    const parts = text.split('\n\n');
    text = parts.pop() as string;
    for (const part of parts) {
      const data = /^event: change\ndata: (.+)$/.exec(part)?.[1];
      if (data) heard.push({ ...(JSON.parse(data) as LiveMessage), at: Date.now() });
    }
  });
  res.on('error', () => undefined);
  return { headers: res.headers, heard, ended, isOver: () => over, close: () => res.destroy() };
}

import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';

/** Far more than a printer's longest response. */
const MAX_RESPONSE_BYTES = 256 * 1024;
/** Responses with a status of 1xx before the real one; a server sends one or two. */
const MAX_INTERIM = 10;

/** Unused connections are closed before servers do so, which is after five seconds or more. */
const idle = { keepAlive: true, timeout: 4_000 };
const CLIENTS = {
  'http:': { send: requestHttp, agent: new Agent(idle) },
  'https:': { send: requestHttps, agent: new TlsAgent(idle) },
};

export interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Reads a text into one buffer: a piece may have a byte, and would cost a hundred. */
function createText() {
  let bytes = Buffer.alloc(4 * 1024);
  let length = 0;
  return {
    /** @throws Error if the text is too long */
    add(chunk: Buffer): void {
      const end = length + chunk.length;
      if (end > MAX_RESPONSE_BYTES) throw new Error('the response is larger than 256 kB');
      if (end > bytes.length) bytes = Buffer.concat([bytes], Math.max(end, 2 * bytes.length));
      bytes.set(chunk, length);
      length = end;
    },
    toString: () => new TextDecoder().decode(bytes.subarray(0, length)),
  };
}

/**
 * Sends a request and reads the whole response, without following redirects. Not with `fetch`, because it decompresses
 * what nobody has asked to be compressed, and ends the process if that goes wrong.
 * @param url http or https
 * @param timeoutMs for all of it
 * @throws Error if the response does not come in time, has more than 256 kB or is compressed
 */
export function request(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | undefined; timeoutMs: number },
): Promise<Response> {
  const { method = 'GET', headers = {}, body, timeoutMs } = options;
  const { send, agent } = CLIENTS[new URL(url).protocol as keyof typeof CLIENTS];
  return new Promise((resolve, reject) => {
    const text = createText();
    let interim = 0;
    const outgoing = send(url, {
      method,
      headers: { Accept: '*/*', 'Accept-Encoding': 'identity', ...headers },
      agent,
    });
    const fail = (error: unknown) => void outgoing.destroy(error as Error);
    const timer = setTimeout(() => fail(new Error('no response in time')), timeoutMs);
    outgoing.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM) fail(new Error('too many interim responses'));
    });
    outgoing.on('response', (response: IncomingMessage) => {
      const { statusCode = 0, headers: received } = response;
      if (received['content-encoding'] !== undefined) return fail(new Error('the response is compressed'));
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        try {
          text.add(chunk);
        } catch (error) {
          fail(error);
        }
      });
      response.on('end', () => resolve({ status: statusCode, headers: received, text: text.toString() }));
    });
    outgoing.on('error', reject);
    outgoing.on('close', () => {
      clearTimeout(timer);
      reject(new Error('the connection was closed'));
    });
    outgoing.end(body);
  });
}

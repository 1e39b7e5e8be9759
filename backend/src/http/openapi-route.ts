import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { sha256 } from '../shared/crypto.ts';
import { createOpenApi } from './openapi.ts';

// the highest quality, the default, takes more than a second
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } };

/** Smallest first. */
const ENCODINGS = [
  { name: 'br', compress: (plain: Buffer) => promisify(brotliCompress)(plain, BROTLI) },
  { name: 'gzip', compress: (plain: Buffer) => promisify(gzip)(plain) },
];

async function encode(deps: Parameters<typeof createOpenApi>[0]) {
  const plain = Buffer.from(JSON.stringify(createOpenApi(deps)));
  const compressed = ENCODINGS.map(async ({ name, compress }) => ({ name, body: await compress(plain) }));
  // weak, because it stands for every encoding
  return { plain, compressed: await Promise.all(compressed), etag: `W/"${sha256(plain).slice(0, 32)}"` };
}

/** Serves the OpenAPI document of an API. It is generated and compressed once, on first use. */
export function serveOpenApi(deps: Parameters<typeof createOpenApi>[0]): RequestHandler {
  let encoded: ReturnType<typeof encode> | undefined;
  return async (req: Request, res: Response) => {
    encoded ??= encode(deps);
    const { plain, compressed, etag } = await encoded;
    const encoding = compressed.find(({ name }) => req.acceptsEncodings(name));
    res.vary('Accept-Encoding');
    if (encoding) res.setHeader('Content-Encoding', encoding.name);
    res.setHeader('ETag', etag);
    res.setHeader('Cache-Control', 'no-cache');
    // answers 304 if the client has this version
    res.type('json').send(encoding?.body ?? plain);
  };
}

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { sha256 } from '../../../common/src/crypto.ts';
import { createOpenApi, type OpenApiDeps } from './openapi.ts';

// the highest quality, the default, takes more than a second
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } };

/** Smallest first. */
const ENCODINGS = [
  { name: 'br', compress: (plain: Buffer) => promisify(brotliCompress)(plain, BROTLI) },
  { name: 'gzip', compress: (plain: Buffer) => promisify(gzip)(plain) },
];

function write(deps: OpenApiDeps) {
  const plain = Buffer.from(JSON.stringify(createOpenApi(deps)));
  // weak, because it stands for every encoding
  return { plain, etag: `W/"${sha256(plain).slice(0, 32)}"`, compressed: new Map<string, Promise<Buffer>>() };
}

/** Serves the OpenAPI document of an API. It is generated, and compressed for each encoding, once and on first use. */
export function serveOpenApi(deps: OpenApiDeps): RequestHandler {
  let written: ReturnType<typeof write> | undefined;
  return async (req: Request, res: Response) => {
    written ??= write(deps);
    const { plain, etag, compressed } = written;
    const encoding = ENCODINGS.find(({ name }) => req.acceptsEncodings(name));
    let body: Buffer = plain;
    if (encoding) {
      const compressing = compressed.get(encoding.name) ?? encoding.compress(plain);
      compressed.set(encoding.name, compressing);
      body = await compressing;
      res.setHeader('Content-Encoding', encoding.name);
    }
    res.vary('Accept-Encoding');
    res.setHeader('ETag', etag);
    res.setHeader('Cache-Control', 'no-cache');
    // answers 304 if the client has this version
    res.type('json').send(body);
  };
}

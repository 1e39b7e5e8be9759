import busboy from 'busboy';
import type { Request } from 'express';

export interface FormLimits {
  /** the one field that may hold a file */
  fileField: string;
  mostFileBytes: number;
  /** of the whole body; more is not read */
  mostBodyBytes: number;
  /** of all texts together */
  mostTextBytes: number;
  withinMs: number;
  /** asked with the fields before the file, as soon as it begins; false: nothing more is read */
  mayHaveFile(fields: ReadonlyMap<string, string>): boolean;
}

export interface SentForm {
  fields: ReadonlyMap<string, string>;
  /** undefined: none was chosen. `content` is undefined where it was too large. */
  file: { name: string; content: Buffer | undefined } | undefined;
  isTextTooLong: boolean;
  /** it was not read to its end: the connection cannot be used again */
  isCut: boolean;
}

/** Why a form could not be read; each has an HTTP status. */
export class UnreadableForm extends Error {
  readonly status: 400 | 408 | 413 | 415;
  constructor(status: UnreadableForm['status']) {
    super(`failed to read the form (${status})`);
    this.status = status;
  }
}

const MAX_FIELDS = 30;

const isForm = (type: string | undefined): boolean =>
  /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i.test(type ?? '');

/**
 * Reads a form as browsers send it: `multipart/form-data`, or urlencoded where there is no file. Of a file that is too large
 * the rest is read and dropped, so that a browser gets to see the answer. Later fields of the same name are ignored.
 * @throws UnreadableForm
 */
export function readForm(req: Request, limits: FormLimits): Promise<SentForm> {
  const { 'content-type': type, 'content-length': length, 'content-encoding': encoding } = req.headers;
  if (!isForm(type) || encoding !== undefined) return Promise.reject(new UnreadableForm(415));
  if (Number(length ?? 0) > limits.mostBodyBytes) return Promise.reject(new UnreadableForm(413));
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    let textBytes = 0;
    let isTextTooLong = false;
    let file: SentForm['file'];
    let received = 0;
    let parser: busboy.Busboy;
    try {
      parser = busboy({
        headers: req.headers,
        defParamCharset: 'utf8',
        limits: {
          fields: MAX_FIELDS,
          parts: MAX_FIELDS + 1,
          files: 1,
          fieldNameSize: 100,
          fieldSize: limits.mostTextBytes + 1,
          fileSize: limits.mostFileBytes,
          headerPairs: 20,
        },
      });
    } catch {
      reject(new UnreadableForm(400));
      return;
    }
    const timer = setTimeout(() => end(new UnreadableForm(408)), limits.withinMs);
    const count = (chunk: Buffer) => {
      received += chunk.length;
      if (received > limits.mostBodyBytes) end(new UnreadableForm(413));
    };
    const broken = () => end(new UnreadableForm(400));
    // of a body that came whole the parser may still have something to tell
    const gone = () => req.complete || broken();
    let isOver = false;
    function end(error?: UnreadableForm, isCut = false): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      req.off('data', count);
      req.off('close', gone);
      req.unpipe(parser);
      // what is left of the body ends with the answer
      if (error || isCut) {
        parser.on('error', () => undefined);
        parser.destroy();
        // or what still comes would stand before the next request
        req.resume();
      }
      if (error) reject(error);
      else resolve({ fields, file, isTextTooLong, isCut });
    }

    parser.on('field', (name, value, info) => {
      textBytes += Buffer.byteLength(value);
      if (info.valueTruncated || textBytes > limits.mostTextBytes) isTextTooLong = true;
      if (!fields.has(name)) fields.set(name, value);
    });
    parser.on('file', (name, stream, info) => {
      stream.on('error', () => undefined);
      if (name !== limits.fileField) {
        stream.resume();
        return;
      }
      const chunks: Buffer[] = [];
      let isTooLarge = false;
      let isEmpty = true;
      stream.on('data', (chunk: Buffer) => {
        if (isEmpty && !limits.mayHaveFile(fields)) {
          end(undefined, true);
          return;
        }
        isEmpty = false;
        if (!isTooLarge) chunks.push(chunk);
      });
      stream.on('limit', () => {
        isTooLarge = true;
        chunks.length = 0;
      });
      stream.on('close', () => {
        // a file field in which nothing was chosen is sent too, empty
        if (!isEmpty) file = { name: info.filename ?? '', content: isTooLarge ? undefined : Buffer.concat(chunks) };
      });
    });
    parser.on('error', broken);
    // everything was taken, the file to its end
    parser.on('close', () => end());
    req.on('data', count);
    req.on('close', gone);
    req.on('error', broken);
    req.pipe(parser);
  });
}

import busboy from 'busboy';
import type { Request } from 'express';

export interface FormLimits {
  /** the only field that may contain a file */
  fileField: string;
  maxFileBytes: number;
  /** bytes of the whole body; the rest is not read */
  maxBodyBytes: number;
  /** bytes of all text fields together */
  maxTextBytes: number;
  withinMs: number;
  /** called with the preceding fields when a file begins; false stops reading */
  mayHaveFile(fields: ReadonlyMap<string, string>): boolean;
}

export interface SentForm {
  fields: ReadonlyMap<string, string>;
  /** undefined: no file was selected. `content` is undefined if the file was too large. */
  file: { name: string; content: Buffer | undefined } | undefined;
  isTextTooLong: boolean;
  /** the body was not read to its end, so the connection cannot be reused */
  isIncomplete: boolean;
}

/** The form could not be parsed; `status` is the HTTP status to respond with. */
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
 * Reads a form as sent by browsers: `multipart/form-data` or urlencoded. The rest of a file that is too large is read
 * and dropped, so that the browser shows the response. Repeated fields are ignored.
 * @throws UnreadableForm
 */
export function readForm(req: Request, limits: FormLimits): Promise<SentForm> {
  const { 'content-type': type, 'content-length': length, 'content-encoding': encoding } = req.headers;
  if (!isForm(type) || encoding !== undefined) return Promise.reject(new UnreadableForm(415));
  if (Number(length ?? 0) > limits.maxBodyBytes) return Promise.reject(new UnreadableForm(413));
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
          fieldSize: limits.maxTextBytes + 1,
          fileSize: limits.maxFileBytes,
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
      if (received > limits.maxBodyBytes) end(new UnreadableForm(413));
    };
    const onError = () => end(new UnreadableForm(400));
    // the parser may still be processing a complete body
    const onClose = () => req.complete || onError();
    let hasEnded = false;
    function end(error?: UnreadableForm, isIncomplete = false): void {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      req.off('data', count);
      req.off('close', onClose);
      req.unpipe(parser);
      // stop parsing; the rest of the body is discarded
      if (error || isIncomplete) {
        parser.on('error', () => undefined);
        parser.destroy();
        // otherwise the rest of the body would block the next request
        req.resume();
      }
      if (error) reject(error);
      else resolve({ fields, file, isTextTooLong, isIncomplete });
    }

    parser.on('field', (name, value, info) => {
      textBytes += Buffer.byteLength(value);
      if (info.valueTruncated || textBytes > limits.maxTextBytes) isTextTooLong = true;
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
        // browsers also send a file field without a selected file, with empty content
        if (!isEmpty) file = { name: info.filename ?? '', content: isTooLarge ? undefined : Buffer.concat(chunks) };
      });
    });
    parser.on('error', onError);
    // all fields and the file are complete
    parser.on('close', () => end());
    req.on('data', count);
    req.on('close', onClose);
    req.on('error', onError);
    req.pipe(parser);
  });
}

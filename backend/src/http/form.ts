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
  /** counts received bytes; aborted if this upload must end for others */
  upload?: { signal: AbortSignal; count(bytes: number): void } | undefined;
  /** called with the preceding fields when a file begins; false stops reading */
  mayHaveFile(fields: ReadonlyMap<string, string>): boolean;
}

export interface SentForm {
  fields: ReadonlyMap<string, string>;
  /** undefined: no file was selected. `content` is undefined if the file was too large. */
  file: { name: string; content: Buffer | undefined } | undefined;
  isTextTooLong: boolean;
}

/** The form could not be parsed; `status` is the HTTP status to respond with. */
export class UnreadableForm extends Error {
  readonly status: 400 | 408 | 413 | 415 | 503;
  constructor(status: UnreadableForm['status']) {
    super(`failed to read the form (${status})`);
    this.status = status;
  }
}

const MAX_FIELDS = 30;

const isForm = (type: string | undefined): boolean =>
  /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i.test(type ?? '');

/** @throws UnreadableForm */
function createParser({ headers }: Request, { maxTextBytes, maxFileBytes }: FormLimits): busboy.Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      limits: {
        fields: MAX_FIELDS,
        parts: MAX_FIELDS + 1,
        files: 1,
        fieldNameSize: 100,
        fieldSize: maxTextBytes + 1,
        fileSize: maxFileBytes,
        headerPairs: 20,
      },
    });
  } catch {
    throw new UnreadableForm(400);
  }
}

interface FormParts extends SentForm {
  fields: Map<string, string>;
  /** the rest of the body isn't wanted */
  isIncomplete: boolean;
}

function collectFields(parser: busboy.Busboy, form: FormParts, { maxTextBytes }: FormLimits): void {
  let textBytes = 0;
  parser.on('field', (name, value, info) => {
    textBytes += Buffer.byteLength(value);
    if (info.valueTruncated || textBytes > maxTextBytes) form.isTextTooLong = true;
    if (!form.fields.has(name)) form.fields.set(name, value);
  });
}

/** @param refuse called if the form may not have a file */
function collectFile(
  parser: busboy.Busboy,
  form: FormParts,
  { fileField, mayHaveFile }: FormLimits,
  refuse: () => void,
): void {
  parser.on('file', (name, stream, info) => {
    stream.on('error', () => undefined);
    if (name !== fileField) {
      stream.resume();
      return;
    }
    const chunks: Buffer[] = [];
    let isTooLarge = false;
    let isEmpty = true;
    stream.on('data', (chunk: Buffer) => {
      if (isEmpty && !mayHaveFile(form.fields)) {
        refuse();
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
      if (!isEmpty) form.file = { name: info.filename ?? '', content: isTooLarge ? undefined : Buffer.concat(chunks) };
    });
  });
}

/**
 * Reads a form as sent by browsers: `multipart/form-data` or urlencoded. The rest of a file that is too large is read
 * and dropped, so that the browser shows the response. Repeated fields are ignored.
 * @throws UnreadableForm
 */
export async function readForm(req: Request, limits: FormLimits): Promise<SentForm> {
  const { 'content-type': type, 'content-length': length, 'content-encoding': encoding } = req.headers;
  if (!isForm(type) || encoding !== undefined) throw new UnreadableForm(415);
  if (Number(length ?? 0) > limits.maxBodyBytes) throw new UnreadableForm(413);
  const parser = createParser(req, limits);
  const form: FormParts = { fields: new Map(), file: undefined, isTextTooLong: false, isIncomplete: false };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(new UnreadableForm(408)), limits.withinMs);
    let received = 0;
    const count = (chunk: Buffer) => {
      received += chunk.length;
      limits.upload?.count(chunk.length);
      if (received > limits.maxBodyBytes) end(new UnreadableForm(413));
    };
    const onError = () => end(new UnreadableForm(400));
    const onAbort = () => end(new UnreadableForm(503));
    // the parser may still be processing a complete body
    const onClose = () => req.complete || onError();
    let hasEnded = false;
    function end(error?: UnreadableForm): void {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      limits.upload?.signal.removeEventListener('abort', onAbort);
      req.off('data', count);
      req.off('close', onClose);
      req.unpipe(parser);
      // stop parsing; the rest of the body is discarded
      if (error || form.isIncomplete) {
        parser.on('error', () => undefined);
        parser.destroy();
        // otherwise the rest of the body would block the next request
        req.resume();
      }
      if (error) reject(error);
      else resolve(form);
    }

    collectFields(parser, form, limits);
    collectFile(parser, form, limits, () => {
      form.isIncomplete = true;
      end();
    });
    parser.on('error', onError);
    // all fields and the file are complete
    parser.on('close', () => end());
    limits.upload?.signal.addEventListener('abort', onAbort);
    req.on('data', count);
    req.on('close', onClose);
    req.on('error', onError);
    req.pipe(parser);
  });
}

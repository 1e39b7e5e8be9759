import busboy from 'busboy';
import type { Request } from 'express';
import { type BodyHold, UnreadableBody } from './body-budget.ts';
import { createGrowingBuffer, readPieces } from './body-reader.ts';
import { isEncoded } from './content-encoding.ts';

export interface FormLimits {
  /** the field that may contain a file; undefined: files are discarded as they arrive */
  file?: {
    field: string;
    maxBytes: number;
    /** called with the preceding fields when a file begins; false stops reading */
    isWanted(fields: ReadonlyMap<string, string>): boolean;
  };
  /** bytes of the whole body; the rest is not read */
  maxBodyBytes: number;
  /** bytes of all text fields together; more is not read */
  maxTextBytes: number;
  withinMs: number;
}

export interface SentForm {
  fields: ReadonlyMap<string, string>;
  /** undefined: no file was selected. `content` is undefined if the file was too large. */
  file: { name: string; content: Buffer | undefined } | undefined;
  /** the fields and the file after that were not read */
  isTextTooLong: boolean;
}

const MAX_FIELDS = 100;
const MAX_NAME_BYTES = 100;

const isForm = (type: string | undefined): boolean =>
  /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i.test(type ?? '');

/** @throws UnreadableBody */
function createParser({ headers }: Request, { maxTextBytes, maxBodyBytes, file }: FormLimits): busboy.Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      limits: {
        fields: MAX_FIELDS,
        parts: MAX_FIELDS + 1,
        files: 1,
        fieldNameSize: MAX_NAME_BYTES,
        fieldSize: maxTextBytes + 1,
        fileSize: file?.maxBytes ?? maxBodyBytes,
        headerPairs: 20,
      },
    });
  } catch {
    throw new UnreadableBody(400);
  }
}

interface FormParts extends SentForm {
  fields: Map<string, string>;
}

/** @param stop ends reading: with an error, or with what has been read so far */
function collectFields(
  parser: busboy.Busboy,
  form: FormParts,
  { maxTextBytes }: FormLimits,
  stop: (error?: UnreadableBody) => void,
): void {
  let textBytes = 0;
  parser.on('field', (name, value, info) => {
    if (info.nameTruncated) return stop(new UnreadableBody(413));
    textBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (!form.fields.has(name)) form.fields.set(name, value);
    if (!info.valueTruncated && textBytes <= maxTextBytes) return;
    form.isTextTooLong = true;
    stop();
  });
  for (const limit of ['fieldsLimit', 'partsLimit'] as const) parser.on(limit, () => stop(new UnreadableBody(413)));
}

function collectFile(
  parser: busboy.Busboy,
  form: FormParts,
  hold: BodyHold,
  { file }: FormLimits,
  stop: (error?: unknown) => void,
): void {
  parser.on('file', (name, stream, info) => {
    stream.on('error', () => undefined);
    if (name !== file?.field) {
      stream.resume();
      return;
    }
    const content = createGrowingBuffer(hold, file.maxBytes);
    let isTooLarge = false;
    let isEmpty = true;
    stream.on('data', (piece: Buffer) => {
      if (isEmpty && !file.isWanted(form.fields)) return stop();
      isEmpty = false;
      try {
        content.append(piece);
      } catch (error) {
        stop(error);
      }
    });
    stream.on('limit', () => {
      isTooLarge = true;
      content.clear();
    });
    stream.on('close', () => {
      // browsers also send a file field without a selected file, with empty content
      if (!isEmpty) form.file = { name: info.filename ?? '', content: isTooLarge ? undefined : content.content() };
    });
  });
}

/**
 * Reads a form as sent by browsers: `multipart/form-data` or urlencoded. The rest of a file that is too large is read
 * and dropped, so that the browser shows the response. Repeated fields are ignored.
 * @throws UnreadableBody
 */
export async function readForm(req: Request, hold: BodyHold, limits: FormLimits): Promise<SentForm> {
  if (!isForm(req.headers['content-type']) || isEncoded(req)) throw new UnreadableBody(415);
  const parser = createParser(req, limits);
  const form: FormParts = { fields: new Map(), file: undefined, isTextTooLong: false };
  const closed = new Promise((resolve) => parser.once('close', resolve));
  let isStopped = false;
  let failure: unknown;
  const stop = (error?: unknown) => {
    isStopped = true;
    failure ??= error;
    parser.destroy();
  };
  parser.on('error', () => isStopped || stop(new UnreadableBody(400)));
  collectFields(parser, form, limits, stop);
  collectFile(parser, form, hold, limits, stop);
  const reading = readPieces(
    req,
    { maxBytes: limits.maxBodyBytes, withinMs: limits.withinMs },
    hold,
    passTo(parser, req, hold, limits),
  );
  // all fields and the file are complete, or what follows isn't wanted
  closed.then(() => reading.stop());
  try {
    await reading.ended;
    if (!isStopped) parser.end();
    await closed;
  } finally {
    isStopped = true;
    parser.destroy();
  }
  if (failure !== undefined) throw failure;
  return form;
}

/** Passes pieces on to the parser, no faster than it parses them. */
function passTo(parser: busboy.Busboy, req: Request, hold: BodyHold, { maxTextBytes }: FormLimits) {
  /** what the parser may keep of the fields */
  let kept = 0;
  return (piece: Buffer): boolean => {
    const more = Math.min(piece.length, maxTextBytes - kept);
    kept += more;
    hold.grow(more);
    if (!parser.write(piece)) {
      req.pause();
      parser.once('drain', () => req.resume());
    }
    return true;
  };
}

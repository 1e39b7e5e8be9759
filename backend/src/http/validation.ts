import type { z } from 'zod';
import { lookupTable } from '../../../common/src/lookup-table.ts';
import { DomainError, type Fault } from '../shared/errors.ts';
import { quote } from '../shared/names.ts';

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

const KINDS = lookupTable<string>({
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
});

const FORMATS = lookupTable<string>({
  guid: 'must be an id (a UUID of 36 characters)',
  email: 'must be an email address',
});

const UNITS = lookupTable<string>({ string: 'characters', array: 'entries' });

const listed = (values: readonly unknown[]): string =>
  values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.map(String).join(', ')}`;

function limit(issue: RawIssue & ({ code: 'too_small' } | { code: 'too_big' })): string {
  const bound = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  const unit = UNITS.get(issue.origin as string);
  if (unit && issue.code === 'too_small' && bound === 1) return 'must not be empty';
  const word = issue.code === 'too_small' ? 'at least' : 'at most';
  return unit ? `must have ${word} ${bound} ${unit}` : `must be ${word} ${bound}`;
}

/** Describes what a schema expects, unless the schema has its own message. */
export function expectation(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type': {
      const kind = KINDS.get(issue.expected as string) ?? 'a value';
      return issue.input === undefined ? `is missing: it must be ${kind}` : `must be ${kind}`;
    }
    case 'too_small':
    case 'too_big':
      return limit(issue as Parameters<typeof limit>[0]);
    case 'invalid_format':
      return FORMATS.get(issue.format as string) ?? 'has the wrong format';
    case 'invalid_value': {
      const missing = issue.input === undefined ? 'is missing: it ' : '';
      return missing + listed(issue.values as unknown[]);
    }
    case 'invalid_union': {
      const { discriminator, inst } = issue as { discriminator?: string; inst?: z.core.$ZodType };
      const values = discriminator && inst?._zod.propValues?.[discriminator];
      return values ? listed([...values]) : 'matches none of the accepted formats';
    }
    case 'unrecognized_keys': {
      const { shape = {} } = (issue.inst as z.core.$ZodObject | undefined)?._zod.def ?? {};
      const known = Object.keys(shape).join(', ');
      return known ? `is unknown; the known parameters are ${known}` : 'is unknown; this route takes no parameters';
    }
  }
  return 'has an invalid value';
}

const MAX_SHOWN = 60;

/** Values of these fields are never repeated in errors. The last two parts of a path are compared. */
const SECRET_FIELD = /(?:password|secret|token|key)[^.]*$|header\.value$/i;

/** Whether the length is wrong. That of a number says nothing, though a query sends it as a string. */
const isAboutLength = (issue: Issue): boolean =>
  (issue.code === 'too_small' || issue.code === 'too_big') && UNITS.has(issue.origin);

/** The received value as shown in an error; undefined if it adds nothing or must not be repeated. */
function received(issue: Issue, value: unknown): string | undefined {
  if (value === undefined || issue.code === 'unrecognized_keys') return undefined;
  if (isAboutLength(issue) && (typeof value === 'string' || Array.isArray(value))) {
    // "must not be empty" already says it
    return issue.code === 'too_small' && value.length === 0 ? undefined : `${value.length}`;
  }
  if (typeof value === 'string')
    return SECRET_FIELD.test(issue.path.slice(-2).join('.')) ? undefined : quote(shorten(value));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

const shorten = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

function valueAt(sent: unknown, path: readonly PropertyKey[]): unknown {
  let value = sent;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** How far a value is from one option of a union: farthest for another type, nearest if only a nested part is wrong. */
const distance = (issues: Issue[]): number =>
  Math.max(0, ...issues.map(({ code, path }) => (path.length > 0 ? 0 : code === 'invalid_type' ? 2 : 1)));

/** Replaces the issue of a union by the issues of its closest option. */
function flatten(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const [nearest = []] = [...issue.errors].sort(
    (one, other) => distance(one) - distance(other) || one.length - other.length,
  );
  return nearest.flatMap((one) => flatten({ ...one, path: [...issue.path, ...one.path] } as Issue));
}

/** Numbers beyond the safe integers also exceed the field's own limit, which is more helpful. */
const isBeyondSafe = (issue: Issue): boolean => issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER;

const pointerOf = (root: string, path: readonly PropertyKey[]): string =>
  root + path.map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');

const MAX_FAULTS = 20;

/** Converts zod issues into one fault per field (or per unknown name) with the expected and the received value. */
export function toValidationError(issues: readonly Issue[], root: '' | 'query' | 'header', sent: unknown): DomainError {
  const faults = new Map<string, Fault>();
  const add = (path: readonly PropertyKey[], detail: string) => {
    const pointer = pointerOf(root, path);
    if (!faults.has(pointer)) faults.set(pointer, { pointer, detail });
  };
  const found = issues.flatMap(flatten);
  for (const issue of [...found.filter((one) => !isBeyondSafe(one)), ...found.filter(isBeyondSafe)]) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add([...issue.path, key.slice(0, 64)], issue.message);
    } else if (root === '' && issue.path.length === 0 && sent === undefined) {
      add([], 'is empty: send a JSON object');
    } else {
      const receivedValue = received(issue, valueAt(sent, issue.path));
      add(issue.path, receivedValue === undefined ? issue.message : `${issue.message}; received ${receivedValue}`);
    }
  }
  const shown = [...faults.values()].slice(0, MAX_FAULTS);
  const summary = shown
    .map(({ pointer, detail }) => (pointer ? `${pointer}: ${detail}` : `the body ${detail}`))
    .join('; ');
  return new DomainError('validation_error', summary, { faults: shown });
}

/** @throws DomainError validation_error */
export function parseBody<Schema extends z.ZodType>(schema: Schema, sent: unknown): z.output<Schema> {
  const parsed = schema.safeParse(sent, { error: expectation });
  if (!parsed.success) throw toValidationError(parsed.error.issues, '', sent);
  return parsed.data;
}

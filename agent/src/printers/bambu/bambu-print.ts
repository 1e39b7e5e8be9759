import { clip } from '../../json.ts';

/**
 * The fields we read of a `print` report (mqtt.md of OpenBambuAPI), as received. Printers send all fields on request,
 * and otherwise only changed ones; firmware differs in whether numbers are numbers or text.
 */
export interface Print {
  gcode_state?: string;
  task_id?: string | number;
  subtask_id?: string | number;
  subtask_name?: string;
  gcode_file?: string;
  gcode_start_time?: string | number;
  /** `cloud`, `local`, or `system` for the printer's own jobs */
  print_type?: string;
  print_error?: number | string;
  /** the code of the error that ended the print */
  fail_reason?: number | string;
  hms?: { attr?: number | string; code?: number | string }[];
  mc_percent?: number | string;
  /** minutes */
  mc_remaining_time?: number | string;
}

const TEXT_FIELDS = [
  'gcode_state',
  'task_id',
  'subtask_id',
  'subtask_name',
  'gcode_file',
  'gcode_start_time',
  'print_type',
  'print_error',
  'fail_reason',
  'mc_percent',
  'mc_remaining_time',
] as const;

/** What identifies a job; empty: not known. Prints sent over the LAN have a name only. */
export interface Ids {
  task: string;
  subtask: string;
  name: string;
  start: string;
}

type Phase =
  /** the job is being downloaded, sliced or prepared */
  | 'preparing'
  | 'running'
  /** a state we don't know, with the name of a job */
  | 'busy'
  | 'finished'
  | 'failed'
  | 'idle'
  /** the printer runs a job of its own, such as a calibration */
  | 'internal'
  /** the report says nothing about a job */
  | 'unknown';

/** A report in the printer's words, read. */
export interface Report {
  phase: Phase;
  ids: Ids;
  /** the name people know the print by; empty: not known */
  name: string;
  /** the error shown now; 0: none */
  error: number;
  /** 0: none */
  failReason: number;
  /** fatal and serious health messages */
  hms: string[];
  percent: number | undefined;
  leftMs: number | undefined;
}

const PHASES = new Map<string, Phase>([
  ['PREPARE', 'preparing'],
  ['SLICING', 'preparing'],
  ['RUNNING', 'running'],
  ['PAUSE', 'running'],
  ['FINISH', 'finished'],
  ['FAILED', 'failed'],
  ['IDLE', 'idle'],
  ['INIT', 'unknown'],
  ['OFFLINE', 'unknown'],
  ['UNKNOWN', 'unknown'],
  ['', 'unknown'],
]);

/** Health messages that are read of a report; printers show a few. */
const MAX_HMS = 50;

/** What is kept of a report: most of its fields are not read. */
export function readFields(print: Print): Print {
  const read: Print = {};
  for (const field of TEXT_FIELDS) {
    if (print[field] !== undefined) read[field] = clip(print[field]) ?? '';
  }
  if (print.hms !== undefined) {
    const entries = Array.isArray(print.hms) ? print.hms.slice(0, MAX_HMS) : [];
    read.hms = entries.map((entry) => ({ attr: clip(entry?.attr) ?? '', code: clip(entry?.code) ?? '' }));
  }
  return read;
}

const toText = (value: unknown): string => clip(typeof value === 'string' ? value.trim() : value) ?? '';

/** LAN prints have the id 0 or none. P1 firmware stores what is larger than an int32 as the largest one. */
const NO_ID = new Set(['0', '-1', '2147483647']);
const toId = (value: unknown): string => (NO_ID.has(toText(value)) ? '' : toText(value));

const toNumber = (value: unknown): number | undefined => {
  const text = toText(value);
  const number = Number(text);
  return text !== '' && Number.isFinite(number) ? number : undefined;
};

/**
 * A code as a number, from a number, its decimal text, or the hexadecimal text of Bambu's documentation (`0300 400C`).
 * Decimal texts never begin with 0, hexadecimal ones always do.
 */
function toCode(value: unknown): number {
  const text = toText(value).replace(/^0x/i, '');
  const isHexadecimal = /^[0-9a-f]{4}[ _-]?[0-9a-f]{4}$/i.test(text) && /^0|[a-f _-]/i.test(text);
  const code = isHexadecimal ? Number.parseInt(text.replace(/[ _-]/, ''), 16) : Number(text);
  // an int32, so that the largest ones are negative
  return Number.isSafeInteger(code) ? code >>> 0 : 0;
}

/** `0300 400C`, as in Bambu's documentation. */
export function nameOfCode(code: number): string {
  const hex = code.toString(16).toUpperCase().padStart(8, '0');
  return `${hex.slice(0, -4)} ${hex.slice(-4)}`;
}

/** `0300 400C` and `0500 400E`: cancelled by a person. No other text of Bambu's table of errors says so. */
const CANCELLED = new Set([0x0300_400c, 0x0500_400e]);

/** Whether a code says that a person cancelled the print. `fail_reason` may be the lower half of a code. */
export const isCancelCode = (code: number): boolean => CANCELLED.has(code) || code === 0x400c || code === 0x400e;

const FATAL_OR_SERIOUS = new Set([1, 2]);
/** H2 printers show it when a person cancels. */
const SHOWN_AT_CANCEL = 0x0c00_001b;

/** The code that a health message would have as `print_error`. */
const shortOf = ({ attr, code }: HmsEntry): number => ((attr & 0xffff_0000) | (code & 0xffff)) >>> 0;

interface HmsEntry {
  attr: number;
  code: number;
}

const readHms = (hms: unknown): HmsEntry[] =>
  (Array.isArray(hms) ? (hms as { attr?: unknown; code?: unknown }[]) : []).map((entry) => ({
    attr: toCode(entry?.attr),
    code: toCode(entry?.code),
  }));

const isGrave = (entry: HmsEntry): boolean =>
  FATAL_OR_SERIOUS.has(entry.code >>> 16) && shortOf(entry) !== SHOWN_AT_CANCEL;

const baseOf = (path: string): string => path.split('/').at(-1) ?? '';

/** A file name without its folder and what printers add to it or leave out. */
export const stemOf = (name: string): string =>
  baseOf(name)
    .toLowerCase()
    .replace(/(?:\.gcode|\.3mf|_plate_\d+)+$/, '');

/** The firmware's own files. What people print is on the card or in `/data`. */
const INTERNAL_FOLDER = /^\/?usr\//;
/** Jobs of the firmware and of Bambu Studio's calibrations; not every firmware sends their folder. */
const INTERNAL_NAME =
  /^(?:auto_cali_for_user(?:_param)?|calibrate_motion_precision|filament_(?:un)?load|(?:auto_)?pa_(?:line|pattern)_calib_mode|flow_rate_(?:coarse|fine)_calib_mode|(?:temp|vol_speed|vfa|retration|retraction)_tower_calib_mode|input_shaping_(?:freq|damp)_calib_mode|cornering_calib_mode)$/;

/** Whether the printer runs a job of its own rather than a print. */
function isInternal({ print_type, gcode_file, subtask_name }: Print): boolean {
  const name = toText(subtask_name);
  const file = toText(gcode_file);
  if (INTERNAL_NAME.test(stemOf(name))) return true;
  const isFirmwareFile = INTERNAL_FOLDER.test(file) || INTERNAL_NAME.test(stemOf(file));
  // a print's name has come before its file and its kind
  if (isFirmwareFile && name !== '' && stemOf(name) !== stemOf(file)) return false;
  return isFirmwareFile || toText(print_type).toLowerCase() === 'system';
}

function phaseOf(print: Print, name: string): Phase {
  const state = toText(print.gcode_state).toUpperCase();
  const phase = PHASES.get(state) ?? (name === '' ? 'unknown' : 'busy');
  return phase !== 'idle' && phase !== 'unknown' && isInternal(print) ? 'internal' : phase;
}

/** Reads all fields received since connecting. */
export function readPrint(print: Print): Report {
  const name = toText(print.subtask_name) || baseOf(toText(print.gcode_file));
  const left = toNumber(print.mc_remaining_time);
  const hms = readHms(print.hms);
  return {
    phase: phaseOf(print, name),
    ids: {
      task: toId(print.task_id),
      subtask: toId(print.subtask_id),
      name: toText(print.subtask_name),
      start: toId(print.gcode_start_time),
    },
    name,
    error: toCode(print.print_error) || (hms.map(shortOf).find(isCancelCode) ?? 0),
    failReason: toCode(print.fail_reason),
    hms: hms.filter(isGrave).map(({ attr, code }) => `${nameOfCode(attr)} ${nameOfCode(code)}`),
    percent: toNumber(print.mc_percent),
    leftMs: left === undefined ? undefined : left * 60_000,
  };
}

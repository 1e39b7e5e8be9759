import fc from 'fast-check';
import { CODE_POINT } from '../../../test/kit/code-point.ts';
import { continueTrace, parseTraceparent, traceIdOf } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const ZEROS = '0'.repeat(32);

const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const id = (length: number) => hex(length).filter((digits) => /[^0]/.test(digits));

/** The example of the specification, with other parts. */
const header = ({ version = '00', trace = TRACE, parent = PARENT, flags = '01', more = '' } = {}) =>
  `${version}-${trace}-${parent}-${flags}${more}`;

test('reads the example of the specification', () => {
  expect(parseTraceparent(header())).toBe('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
});

test.each([
  ['an absent one', undefined],
  ['an empty one', ''],
  ['a trace ID of zeros', header({ trace: ZEROS })],
  ['a parent ID of zeros', header({ parent: ZEROS.slice(16) })],
  ['upper case', header({ trace: TRACE.toUpperCase() })],
  ['upper case in the parent ID', header({ parent: PARENT.toUpperCase() })],
  ['a shorter trace ID', header({ trace: TRACE.slice(1) })],
  ['a longer trace ID', header({ trace: `${TRACE}0` })],
  ['a shorter parent ID', header({ parent: PARENT.slice(1) })],
  ['flags of one digit', header({ flags: '1' })],
  ['no flags', `00-${TRACE}-${PARENT}`],
  ['another digit', header({ trace: `g${TRACE.slice(1)}` })],
  ['another separator', header().replaceAll('-', '_')],
  ['more than version 00 has', header({ more: '-what' })],
  ['a dash at the end of version 00', header({ more: '-' })],
  ['more digits in the flags', header({ more: '0' })],
  ['the version ff', header({ version: 'ff' })],
  ['the version ff with more', header({ version: 'ff', more: '-what' })],
  ['a later version whose flags go on without a dash', header({ version: 'cc', more: '.what' })],
  ['a later version that is shorter', `cc-${TRACE}-${PARENT}`],
  ['an upper-case version', header({ version: 'CC' })],
  ['two, which HTTP joins', `${header()}, ${header()}`],
  ['spaces', ` ${header()}`],
  ['a line break', `${header()}\n`],
  ['a list', [header()]],
])('ignores %s', (_what, sent) => {
  expect(parseTraceparent(sent)).toBeUndefined();
});

test.each([
  ['as version 00 has it', header({ version: 'cc' })],
  ['with more', header({ version: 'cc', more: '-what-the-future-will-be-like' })],
  ['with an empty part', header({ version: '01', more: '-' })],
])('reads a later version %s', (_what, sent) => {
  expect(parseTraceparent(sent)).toBe(header());
});

test.each([
  ['00', '00'],
  ['01', '01'],
  ['02', '02'],
  ['03', '03'],
  ['ff', '03'],
  ['fc', '00'],
])('of the flags %s, keeps those that are defined: %s', (flags, kept) => {
  expect(parseTraceparent(header({ flags }))).toBe(header({ flags: kept }));
});

test('reads every valid header of version 00, and reads its own result unchanged', () => {
  fc.assert(
    fc.property(id(32), id(16), fc.constantFrom('00', '01', '02', '03'), (trace, parent, flags) => {
      const sent = header({ trace, parent, flags });
      expect(parseTraceparent(sent)).toBe(sent);
      expect(traceIdOf(sent)).toBe(trace);
    }),
  );
});

test('never returns anything but a valid header of version 00', () => {
  const nearly = fc
    .tuple(hex(2), hex(32), hex(16), hex(2), fc.constantFrom('', '-', '-a', 'a', ' '))
    .map(([version, trace, parent, flags, more]) => header({ version, trace, parent, flags, more }));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: CODE_POINT }), nearly), (sent) => {
      const parsed = parseTraceparent(sent);
      if (parsed !== undefined) expect(parsed).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[0-3]$/);
    }),
  );
});

test('a delivery continues the trace with its own valid parent ID and the same flags', () => {
  fc.assert(
    fc.property(
      id(32),
      id(16),
      fc.constantFrom('00', '01', '02', '03'),
      fc.uuid(),
      (trace, parent, flags, delivery) => {
        const sent = continueTrace(header({ trace, parent, flags }), delivery);
        expect(parseTraceparent(sent)).toBe(sent);
        expect(sent).toBe(header({ trace, parent: delivery.replaceAll('-', '').slice(16), flags }));
      },
    ),
  );
});

test('a request without the header has no trace', () => {
  expect([traceIdOf(undefined), traceIdOf(null)]).toEqual([undefined, undefined]);
});

import fc from 'fast-check';

/**
 * Any character but lone surrogates, as the `unit` of `fc.string`. fast-check's own unit 'binary' has the same characters,
 * but takes most of a second for a table of them in every suite.
 */
export const CODE_POINT = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));

// W3C Trace Context (https://www.w3.org/TR/trace-context/): which trace a request belongs to.

/** `version-traceid-parentid-flags`; later versions may continue after another `-`. */
const HEADER = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
/** sampled, and since level 2 of the specification random; a sender sets no flags that it doesn't know */
const KNOWN_FLAGS = 0b11;

/**
 * Parses a `traceparent` header. One of a later version is read as far as version 00 goes.
 * @returns the same as version 00 writes it; undefined if it is absent or invalid
 */
export function parseTraceparent(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', parentId = '', flags = '', more] = HEADER.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(parentId)) return undefined;
  const known = (Number.parseInt(flags, 16) & KNOWN_FLAGS).toString(16).padStart(2, '0');
  return `00-${traceId}-${parentId}-${known}`;
}

/** The trace of a parsed header; undefined without one. */
export const traceIdOf = (traceparent: string | null | undefined): string | undefined => traceparent?.slice(3, 35);

/**
 * The header of a request that a delivery sends in the same trace.
 * @param deliveryId a UUID; its last 16 digits are the parent ID, and never all zeros, since they begin with its variant
 */
export const continueTrace = (traceparent: string, deliveryId: string): string =>
  `00-${traceIdOf(traceparent)}-${deliveryId.replaceAll('-', '').slice(-16)}-${traceparent.slice(-2)}`;

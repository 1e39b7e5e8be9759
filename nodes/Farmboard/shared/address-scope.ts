type AddressScope = 'loopback' | 'private' | 'public';

const PRIVATE_PATTERNS = [
  /^10(\.\d+){3}$/,
  /^192\.168(\.\d+){2}$/,
  /^172\.(1[6-9]|2\d|3[01])(\.\d+){2}$/,
  /^169\.254(\.\d+){2}$/,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])(\.\d+){2}$/,
  /^\[f[cd]/,
  /^\[fe[89ab]/,
  /\.(local|lan|home|internal|localdomain|home\.arpa)$/,
];

/** Classifies a URL by its host name; a name without a dot is in the local network. */
export function addressScope(url: string): AddressScope {
  const [, host = ''] = /^https?:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(url.toLowerCase()) ?? [];
  if (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    /^127(\.\d+){3}$/.test(host) ||
    host === '[::1]' ||
    host === '0.0.0.0'
  ) {
    return 'loopback';
  }
  const isName = !host.startsWith('[') && !host.includes('.');
  return isName || PRIVATE_PATTERNS.some((pattern) => pattern.test(host)) ? 'private' : 'public';
}

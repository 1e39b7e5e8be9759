/** Browsers accept `__Host-` cookies only over https, for exactly this host and path `/`. */
export const cookieName = (https: boolean): string => (https ? '__Host-farmboard' : 'farmboard');

/** Reads the session token from a `Cookie` header. */
export function readCookie(header: string | undefined, https: boolean): string | undefined {
  const name = `${cookieName(https)}=`;
  return header
    ?.split(/; */)
    .find((pair) => pair.startsWith(name))
    ?.slice(name.length);
}

/** Builds the Set-Cookie header of the session. @param expiresAt ms; 0 deletes the cookie */
export function sessionCookie(token: string, expiresAt: number, https: boolean): string {
  const attributes = ['Path=/', `Expires=${new Date(expiresAt).toUTCString()}`, 'HttpOnly', 'SameSite=Lax'];
  return [`${cookieName(https)}=${token}`, ...attributes, ...(https ? ['Secure'] : [])].join('; ');
}

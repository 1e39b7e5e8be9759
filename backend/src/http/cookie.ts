/** The name says it: `__Host-` cookies are taken only over https, for this very host, from the whole of it. */
export const cookieName = (https: boolean): string => (https ? '__Host-farmboard' : 'farmboard');

/** The session's token, from a `Cookie` header. */
export function readCookie(header: string | undefined, https: boolean): string | undefined {
  const name = `${cookieName(https)}=`;
  return header
    ?.split(/; */)
    .find((pair) => pair.startsWith(name))
    ?.slice(name.length);
}

/** @param expiresAt ms; 0 takes the cookie away */
export function sessionCookie(token: string, expiresAt: number, https: boolean): string {
  const attributes = ['Path=/', `Expires=${new Date(expiresAt).toUTCString()}`, 'HttpOnly', 'SameSite=Lax'];
  return [`${cookieName(https)}=${token}`, ...attributes, ...(https ? ['Secure'] : [])].join('; ');
}

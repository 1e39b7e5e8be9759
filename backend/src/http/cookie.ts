/** Browsers accept `__Host-` cookies only over https, for exactly this host and path `/`. */
const toName = (name: string, https: boolean): string => (https ? `__Host-${name}` : name);

const cookieName = (https: boolean): string => toName('farmboard', https);
const deviceCookieName = (https: boolean): string => toName('farmboard-device', https);
const ownerCookieName = (https: boolean): string => toName('farmboard-owner', https);

function readValue(header: string | undefined, name: string): string | undefined {
  return header
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

/** Reads the session token from a `Cookie` header. */
export const readCookie = (header: string | undefined, https: boolean): string | undefined =>
  readValue(header, cookieName(https));

/** Reads what recognizes a browser that has signed in before. */
export const readDeviceCookie = (header: string | undefined, https: boolean): string | undefined =>
  readValue(header, deviceCookieName(https));

/** Reads the session that a browser returns to from a simulation. */
export const readOwnerCookie = (header: string | undefined, https: boolean): string | undefined =>
  readValue(header, ownerCookieName(https));

function build(name: string, value: string, expiresAt: number, https: boolean): string {
  const attributes = ['Path=/', `Expires=${new Date(expiresAt).toUTCString()}`, 'HttpOnly', 'SameSite=Lax'];
  return [`${name}=${value}`, ...attributes, ...(https ? ['Secure'] : [])].join('; ');
}

/** Builds the Set-Cookie header of the session. @param expiresAt ms; 0 deletes the cookie */
export const sessionCookie = (token: string, expiresAt: number, https: boolean): string =>
  build(cookieName(https), token, expiresAt, https);

/** Builds the Set-Cookie header that recognizes the browser at its next sign-in. @param expiresAt ms */
export const deviceCookie = (value: string, expiresAt: number, https: boolean): string =>
  build(deviceCookieName(https), value, expiresAt, https);

/** Builds the Set-Cookie header of the session to return to. @param expiresAt ms; 0 deletes the cookie */
export const ownerCookie = (token: string, expiresAt: number, https: boolean): string =>
  build(ownerCookieName(https), token, expiresAt, https);

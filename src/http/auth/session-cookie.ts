/** A person's dashboard session; the cookie holds the token and nothing else does. */
export const SESSION_COOKIE = 'carnet_session';

/** Seconds that a session lasts: half a day of work. */
export const SESSION_SECONDS = 12 * 60 * 60;

/** Tokens of ours: 32 bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;
/** Cookies of one name that are tried: a page of a neighbouring host or path may have set more than one. */
const MAX_CANDIDATES = 5;

/**
 * How this service names a cookie of its own. Behind `__Host-` browsers take it from this host alone, over https and for
 * every path, so that no neighbour can put another in its place; without https they would take none.
 */
export const cookieName = (name: string, publicBaseUrl: string): string =>
  publicBaseUrl.startsWith('https:') ? `__Host-${name}` : name;

/** The values of this cookie that can be tokens of ours, in the order of the Cookie header, each once. */
export function tokensIn(cookies: string | undefined, name: string): string[] {
  const values = (cookies ?? '').split(';').flatMap((cookie) => {
    const [left = '', right = ''] = cookie.split('=', 2);
    return left.trim() === name && TOKEN.test(right.trim()) ? [right.trim()] : [];
  });
  return [...new Set(values)].slice(0, MAX_CANDIDATES);
}

const attributes = (publicBaseUrl: string): string =>
  `Path=/; HttpOnly; SameSite=Strict${publicBaseUrl.startsWith('https:') ? '; Secure' : ''}`;

/** Set-Cookie for a token that lasts this long. */
export const tokenCookie = (
  publicBaseUrl: string,
  { name, token, seconds }: { name: string; token: string; seconds: number },
): string => `${cookieName(name, publicBaseUrl)}=${token}; Max-Age=${seconds}; ${attributes(publicBaseUrl)}`;

/** Set-Cookie for a new session. */
export const sessionCookie = (token: string, publicBaseUrl: string): string =>
  tokenCookie(publicBaseUrl, { name: SESSION_COOKIE, token, seconds: SESSION_SECONDS });

/** Set-Cookie that takes it away. */
export const noSessionCookie = (publicBaseUrl: string): string =>
  tokenCookie(publicBaseUrl, { name: SESSION_COOKIE, token: '', seconds: 0 });

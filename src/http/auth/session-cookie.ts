/** A person's dashboard session; the cookie holds the token and nothing else does. */
export const SESSION_COOKIE = 'carnet_session';
const TOKEN_IN_COOKIES = new RegExp(`(?:^|;)\\s*${SESSION_COOKIE}=([\\w-]{43})\\s*(?:;|$)`);

/** Seconds that a session lasts: half a day of work. */
export const SESSION_SECONDS = 12 * 60 * 60;

/** The session token of a Cookie header; undefined where it has none, or something that cannot be one. */
export const sessionTokenOf = (cookies: string | undefined): string | undefined =>
  cookies === undefined ? undefined : TOKEN_IN_COOKIES.exec(cookies)?.[1];

const attributes = (publicBaseUrl: string): string =>
  `Path=/; HttpOnly; SameSite=Strict${publicBaseUrl.startsWith('https:') ? '; Secure' : ''}`;

/** Set-Cookie for a new session. */
export const sessionCookie = (token: string, publicBaseUrl: string): string =>
  `${SESSION_COOKIE}=${token}; Max-Age=${SESSION_SECONDS}; ${attributes(publicBaseUrl)}`;

/** Set-Cookie that takes it away. */
export const noSessionCookie = (publicBaseUrl: string): string =>
  `${SESSION_COOKIE}=; Max-Age=0; ${attributes(publicBaseUrl)}`;

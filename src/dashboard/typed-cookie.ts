import { cookieName, tokenCookie } from '../http/auth/session-cookie.ts';
import type { Visit } from '../http/pages/people-pages.ts';

/*
 * A form that was sent when its session had ended goes from step to step of signing in as a field. The link of the mail opens a page that no
 * step leads to, in the same browser: so the form, sealed, is a cookie of it as well, for as long as the code counts.
 */

const COOKIE = 'carnet_typed';
/** Characters at most: browsers keep 4,096 bytes of a cookie with its name and attributes. A longer form goes on by the code alone. */
const MAX_LENGTH = 3_800;

export const typedCookie = (
  sealed: string,
  { publicBaseUrl, seconds }: { publicBaseUrl: string; seconds: number },
): string => tokenCookie(publicBaseUrl, { name: COOKIE, token: sealed, seconds });

/** The form that the browser brings along, sealed; '': none. */
export function typedIn(cookies: string | undefined, publicBaseUrl: string): string {
  const name = cookieName(COOKIE, publicBaseUrl);
  const found = (cookies ?? '').split('; ').find((cookie) => cookie.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? '';
}

/** The Set-Cookie headers with which a code is sent: this form is kept for the link, and no other. */
export function typedFor({ context: { config }, headers: { cookie } }: Visit, typed: string): string[] {
  const { publicBaseUrl, verificationCodeSeconds: seconds } = config;
  if (typed !== '' && typed.length <= MAX_LENGTH) return [typedCookie(typed, { publicBaseUrl, seconds })];
  return typedIn(cookie, publicBaseUrl) === '' ? [] : [typedCookie('', { publicBaseUrl, seconds: 0 })];
}

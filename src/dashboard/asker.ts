import { hash, randomBytes } from 'node:crypto';
import type { Context } from '../context/context.ts';
import { cookieName, tokenCookie, tokensIn } from '../http/auth/session-cookie.ts';
import { addressMac } from './address-mac.ts';
import type { Asker } from './queries.ts';

/** Names a browser's requests for a code; tries with it count apart from those of strangers. */
const COOKIE = 'carnet_sign_in';
/** Seconds; a browser is known for 90 days after its last sign-in (use_up_code). */
const COOKIE_SECONDS = 90 * 24 * 3_600;

/** Where a request for a code, or a code, comes from. */
export interface Origin {
  /** The Cookie header. */
  cookies: string | undefined;
  /** The block of addresses that counts as one client. */
  network: string;
}

const browserOf = (token: string): string => hash('sha256', token, 'base64url');

/** Who enters a code. */
export const askerOf = ({ config, encryption }: Context, email: string, { cookies, network }: Origin): Asker => ({
  address: addressMac(encryption, email),
  network: encryption.mac(network, 'sign-in-network'),
  browsers: tokensIn(cookies, cookieName(COOKIE, config.publicBaseUrl)).map(browserOf),
});

/** Who requests a code, and the Set-Cookie by which the browser is recognised: the one it has, or a new one. */
export function newAskerOf(context: Context, email: string, origin: Origin): { asker: Asker; cookie: string } {
  const { publicBaseUrl } = context.config;
  const [shown] = tokensIn(origin.cookies, cookieName(COOKIE, publicBaseUrl));
  const token = shown ?? randomBytes(32).toString('base64url');
  const asker = askerOf(context, email, origin);
  return {
    asker: shown === undefined ? { ...asker, browsers: [browserOf(token)] } : asker,
    cookie: tokenCookie(publicBaseUrl, { name: COOKIE, token, seconds: COOKIE_SECONDS }),
  };
}

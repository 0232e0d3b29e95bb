import { decodeJwt } from 'jose';

/** The issuer that a JWT names, so that the right authenticator checks it; nothing is proven by it. Undefined where it is no JWT. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

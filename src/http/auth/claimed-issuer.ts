import { decodeJwt } from 'jose';

/** Who a JWT says has issued it, so that the right authenticator checks it; nothing is proven by it. Undefined: it is no JWT. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

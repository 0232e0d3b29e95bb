import { errors, jwtVerify, type JWTHeaderParameters } from 'jose';
import { z } from 'zod';
import type { OAuthSettings } from '../../context/config.ts';
import type { Context } from '../../context/context.ts';
import { PLATFORM_OPERATOR_ID, type OperatorId } from '../../ids/ids.ts';
import { claimedIssuer } from './claimed-issuer.ts';
import { unauthenticated, type Authenticator, type Credential } from './credential.ts';
import { issuerKeys } from './oauth-keys.ts';

/** Signatures with a public key only: a shared secret or `none` would let the holder of the public key sign. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** RFC 9068 calls it at+jwt, many issuers JWT or nothing. */
const TYPES = new Set<unknown>(['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt', undefined]);

/** A NumericDate has no end, and a moment of ECMAScript has: the seconds of the last one. */
const LAST_SECOND = 8.64e12;

/** The clock of the issuer may be as much ahead, in seconds: "a few minutes" at most, says RFC 7519 of such leeways. */
const CLOCK_LEEWAY = 60;

/** `sub` is printable ASCII as in OpenID Connect, since the audit trail names the caller by it. */
const Claims = z.object({
  iat: z
    .number()
    .refine((iat) => iat <= Date.now() / 1_000 + CLOCK_LEEWAY, 'must not be in the future')
    .optional(),
  exp: z.number().max(LAST_SECOND, `must be ${LAST_SECOND} at most, in seconds`),
  sub: z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters'),
  operator_id: z.string().regex(/^op_\w{1,64}$/, 'must be the id of an operator'),
  scope: z.string('must be a text of scopes, separated by spaces'),
});
type Claims = z.infer<typeof Claims>;

/**
 * Access tokens of the configured OAuth issuer, which names the operator and the role.
 * @param isSuspended of the operator; null where there is no such operator.
 */
export function oauthAuthenticator(
  { log }: Pick<Context, 'log'>,
  { issuer, audience }: OAuthSettings,
  isSuspended: (operatorId: string) => Promise<boolean | null>,
): Authenticator {
  const keys = issuerKeys(issuer, log);

  const verified = async (token: string): Promise<Claims> => {
    const options = { issuer, audience, algorithms: ALGORITHMS };
    const { payload, protectedHeader } = await jwtVerify(token, keys, options).catch((error: unknown) => {
      throw error instanceof errors.JOSEError ? refused(sentenceOf(error)) : error;
    });
    assertType(protectedHeader);
    const claims = Claims.safeParse(payload);
    if (claims.success) return claims.data;
    const faults = claims.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw refused(`its claims lack something: ${faults.join('; ')}`);
  };

  const find = async (token: string): Promise<Credential> => {
    const { exp, sub: subject, operator_id: operatorId, scope } = await verified(token);
    const role = roleOf(scope);
    const suspended = operatorId === PLATFORM_OPERATOR_ID ? null : await isSuspended(operatorId);
    if (suspended === null) throw refused(`its claim operator_id names no operator, ${operatorId}`);
    return {
      caller: {
        kind: 'operator',
        operatorId: operatorId as OperatorId,
        role,
        platform: false,
        by: { kind: 'oauth', subject, endsAt: new Date(exp * 1_000).toISOString() },
      },
      suspended,
      blocked: false,
      validForMs: exp * 1_000 - Date.now(),
    };
  };

  return { authenticate: (token) => (claimedIssuer(token) === issuer ? find(token) : undefined) };
}

function assertType({ typ }: JWTHeaderParameters): void {
  if (!TYPES.has(typeof typ === 'string' ? typ.toLowerCase() : typ))
    throw refused(`its typ must be at+jwt or JWT, not ${JSON.stringify(typ)}`);
}

/** The greater right of those it names. */
function roleOf(scope: string): 'admin' | 'member' {
  const scopes = new Set(scope.split(' '));
  if (scopes.has('admin')) return 'admin';
  if (scopes.has('member')) return 'member';
  throw refused('its scope must hold admin or member');
}

/** A sentence for the person who has set up the issuer; only what the token itself holds is repeated. */
function sentenceOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.claim === 'aud' ? 'it is for another audience' : `its claim ${error.claim} does not hold`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'the issuer has no key with its kid';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'its header must name the key by kid';
  if (error instanceof errors.JOSEAlgNotAllowed) return `its alg must be one of ${ALGORITHMS.join(', ')}`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not fit';
  return 'it is not well-formed';
}

const refused = (reason: string) => unauthenticated(`The access token is not valid: ${reason}.`, 'invalid_token');

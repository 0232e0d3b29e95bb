import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, type RemoteJWKSet } from 'jose';
import type { Logger } from 'pino';
import { CarnetError } from '../../errors/carnet-error.ts';
import { fetchFromIssuer, findJwksUri } from './oauth-discovery.ts';

/** The issuer is fetched from again after a second at the earliest: for a key it had not, and after a failure. */
const FETCH_AGAIN_MS = 1_000;
/** Where its keys are, and the keys, are used for ten minutes without a look at it. */
const TRUSTED_MS = 600_000;

/**
 * The keys of an OAuth issuer (RFC 8414 or OpenID Connect Discovery), fetched when first needed.
 * A key that is not known is looked for at most once a second, so that made-up tokens cannot make us flood the issuer.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE while the issuer gives no usable answer (a 401 would have clients throw good tokens away), jose's errors for a missing key
 */
export function issuerKeys(issuer: string, log: Logger): JWTVerifyGetKey {
  let known: { keys: RemoteJWKSet; until: number } | undefined;
  let finding: Promise<RemoteJWKSet> | undefined;

  const find = async (): Promise<RemoteJWKSet> => {
    const jwksUri = await findJwksUri(issuer);
    const keys = createRemoteJWKSet(jwksUri, {
      cooldownDuration: FETCH_AGAIN_MS,
      cacheMaxAge: Number.POSITIVE_INFINITY,
      [customFetch]: sparing(() => fetchFromIssuer(jwksUri).catch(unusable)),
    });
    await keys.reload();
    known = { keys, until: performance.now() + TRUSTED_MS };
    return keys;
  };

  /** The refusal leaves out the cause: that is for the people who run the service, in the log. */
  const unusable = (cause: unknown): never => {
    if (cause instanceof CarnetError) throw cause;
    log.warn({ err: cause, issuer }, 'oauth: the issuer gave no usable answer, so its access tokens cannot be checked');
    throw new CarnetError(
      'TEMPORARILY_UNAVAILABLE',
      `The access token could not be checked, since its issuer ${issuer} gave no usable answer; try again in a moment.`,
      { headers: { 'Retry-After': '2' }, cause },
    );
  };

  const findSparingly = sparing(() => find().catch(unusable));
  const current = (): Promise<RemoteJWKSet> =>
    (finding ??= findSparingly().finally(() => {
      finding = undefined;
    }));

  return async (header, token) => {
    const keys = known !== undefined && known.until > performance.now() ? known.keys : await current();
    return keys(header, token).catch((error: unknown) => {
      throw error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys
        ? error
        : unusable(error);
    });
  };
}

/** Leaves the other side alone for a while after it failed: until then the failure is the answer. */
function sparing<T>(fetchOnce: () => Promise<T>): () => Promise<T> {
  let failed: { reason: unknown; until: number } | undefined;
  return async () => {
    if (failed !== undefined && failed.until > performance.now()) throw failed.reason;
    try {
      return await fetchOnce();
    } catch (reason) {
      failed = { reason, until: performance.now() + FETCH_AGAIN_MS };
      throw reason;
    }
  };
}

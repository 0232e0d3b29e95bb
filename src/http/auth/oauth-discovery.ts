import { z } from 'zod';
import { isLoopback } from '../../context/loopback.ts';

/** The part of the metadata of an authorization server (RFC 8414 §2) that is needed here. */
const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Milliseconds that one answer of the issuer may take. */
const ANSWER_MS = 5_000;
/** Bytes of one answer; the largest key sets of public issuers have some 20,000. */
const ANSWER_BYTES = 262_144;

/**
 * Where the issuer keeps its keys: what its metadata say, at the address of RFC 8414 or of OpenID Connect Discovery.
 * @throws Error with the reason why neither can be used
 */
export async function findJwksUri(issuer: string): Promise<URL> {
  const faults: string[] = [];
  for (const address of metadataAddresses(issuer)) {
    try {
      return jwksUriOf(issuer, await (await fetchFromIssuer(address)).json());
    } catch (error) {
      faults.push(`${address.href}: ${reasonOf(error)}`);
    }
  }
  throw new Error(faults.join('; '));
}

/** RFC 8414 §3.1 puts the well-known part before the issuer's path, OpenID Connect Discovery §4 after it. */
function metadataAddresses(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    new URL(`/.well-known/oauth-authorization-server${path}`, origin),
    new URL(`${path}/.well-known/openid-configuration`, origin),
  ];
}

/**
 * RFC 8414 §3.3: metadata that name another issuer must not be used. Keys come over TLS; without it only where
 * the issuer is on this machine too.
 */
function jwksUriOf(issuer: string, answered: unknown): URL {
  const metadata = Metadata.parse(answered);
  if (metadata.issuer !== issuer) throw new Error(`the metadata are of another issuer, ${metadata.issuer}`);
  const uri = new URL(metadata.jwks_uri);
  const local = isLoopback(uri.hostname) && isLoopback(new URL(issuer).hostname);
  if (uri.protocol === 'https:' || (uri.protocol === 'http:' && local)) return uri;
  throw new Error(`jwks_uri ${uri.href} is not https`);
}

/**
 * Reads the issuer's answer whole; redirects are not followed, since they lead to whom nobody configured.
 * @throws Error where it is not a 200 in time and of a size that can be
 */
export async function fetchFromIssuer(address: URL): Promise<Response> {
  const answer = await fetch(address, {
    redirect: 'manual',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    throw new Error(`it answered ${answer.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES) throw new Error(`its answer has more than ${ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks));
}

/** fetch hides what happened ("fetch failed") in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

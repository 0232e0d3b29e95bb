import type { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import {
  brokenByAddresses,
  isLocalhost,
  refused,
  type OutboundUrl,
  type Policy,
  type Refused,
} from './outbound-url.ts';
import { endingOf, orAborted, within, type Ending } from './within.ts';

/** The part that is used of `dns.promises.Resolver`. */
export type DnsResolver = Pick<Resolver, 'resolve4' | 'resolve6'>;

/** Nothing of the request has left this machine. */
export interface NotSent {
  outcome: 'not_sent';
  cause: Ending | 'no_address' | 'dns_failed' | 'connect_failed' | 'tls_failed';
  /** For the user who chose the address. */
  sentence: string;
}

/** The addresses of a URL, each of which was checked. */
export interface Resolved {
  outcome: 'resolved';
  /** One or more; IPv4 first, since a machine without IPv6 is more frequent than one without IPv4. */
  addresses: readonly string[];
}

const DNS_SENTENCES: Readonly<Record<'no_address' | 'dns_failed' | Ending, string>> = {
  no_address: 'DNS knows no address of the host.',
  dns_failed: 'DNS gave no usable answer about the host.',
  timeout: 'DNS gave no answer about the host in time.',
  aborted: 'The call was given up before the host was looked up.',
};
/** Milliseconds; both questions run in parallel, and a resolver that asks servers in turn has time for two. */
const DNS_MS = 3_000;
/** A balancer names eight; a thousand is no receiver. */
const MAX_ADDRESSES = 32;

/** All addresses of a URL, IPv4 and IPv6; refused where any of them is not on the internet. An address in the URL is its own answer. */
export async function resolveAddress(
  url: OutboundUrl,
  { policy, resolver, signal }: { policy: Policy; resolver: DnsResolver; signal: AbortSignal | undefined },
): Promise<Resolved | Refused | NotSent> {
  const found = await addressesOf(url.hostname, resolver, signal);
  if (typeof found === 'string') return { outcome: 'not_sent', cause: found, sentence: DNS_SENTENCES[found] };
  if (found.length > MAX_ADDRESSES) return refused('too_many_addresses');
  const broken = brokenByAddresses(url, found, policy);
  return broken === null ? { outcome: 'resolved', addresses: found } : refused(broken);
}

async function addressesOf(
  hostname: string,
  resolver: DnsResolver,
  parent: AbortSignal | undefined,
): Promise<string[] | keyof typeof DNS_SENTENCES> {
  if (isIP(hostname) !== 0) return [hostname];
  if (isLocalhost(hostname)) return ['127.0.0.1', '::1'];
  return await within(DNS_MS, parent, async (signal) => {
    const [four, six] = await Promise.all([
      answerOf(orAborted(resolver.resolve4(hostname), signal)),
      answerOf(orAborted(resolver.resolve6(hostname), signal)),
    ]);
    const found = [...(four ?? []), ...(six ?? [])];
    // Where one question has an answer and the other fails, what was answered is all that can be connected to: refusing would
    // only punish hosts whose DNS fails at AAAA, and stop nobody.
    if (found.length > 0) return found;
    if (parent?.aborted === true) return endingOf(signal);
    return signal.aborted || four === null || six === null ? 'dns_failed' : 'no_address';
  });
}

/** @returns empty where DNS says that there is none, null where it does not say. */
const answerOf = async (question: Promise<string[]>): Promise<string[] | null> => {
  try {
    return await question;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENODATA' || code === 'ENOTFOUND' ? [] : null;
  }
};

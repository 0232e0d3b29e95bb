import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';

/**
 * The address a request came from: of the socket, or, behind `hops` proxies that each append to X-Forwarded-For, the entry
 * that the outermost of them wrote. Entries further left were written by the client and prove nothing. An entry that is no
 * address (`unknown`, a name) counts as none.
 */
export function clientAddress(request: IncomingMessage, hops: number): string {
  const socketAddress = request.socket.remoteAddress ?? 'unknown';
  if (hops === 0) return socketAddress;
  const forwarded = [request.headers['x-forwarded-for']].flat().join(',').split(',');
  return addressOf(forwarded.at(-Math.min(hops, forwarded.length)) ?? '') ?? socketAddress;
}

/** The address in an entry, which some proxies write with a port: `192.0.2.1:443`, `[2001:db8::1]:443`; undefined where there is none. */
function addressOf(entry: string): string | undefined {
  const text = entry.trim();
  const address = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * Returns what is counted as one client: an IPv4 address, or the /64 that one IPv6 customer has all of; where somebody gains by being many, the /48
 * that many a customer has.
 */
export function addressBlock(address: string, prefix: 48 | 64 = 64): string {
  if (!address.includes(':')) return address;
  const mapped = address.slice(address.lastIndexOf(':') + 1);
  if (address.startsWith('::ffff:') && isIPv4(mapped)) return mapped;
  const groups = groupsOf(address);
  if (groups === undefined) return address;
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xff_ff)
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const network = groups.slice(0, prefix / 16).map((group) => group.toString(16));
  return `${network.join(':')}::/${prefix}`;
}

/** The eight numbers of an IPv6 address, however it is written; undefined where it is none. A zone (`%eth0`) is no part of it. */
function groupsOf(address: string): number[] | undefined {
  const canonical = URL.parse(`http://[${address.replace(/%.*$/, '')}]`)?.hostname.slice(1, -1);
  if (canonical === undefined) return undefined;
  const [head = [], tail = []] = canonical.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

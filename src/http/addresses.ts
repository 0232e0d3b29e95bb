import type { IncomingMessage } from 'node:http';

/**
 * The address a request came from: of the socket, or, behind `hops` proxies that each append to X-Forwarded-For, the entry
 * that the outermost of them wrote. Entries further left were written by the client and prove nothing.
 */
export function clientAddress(request: IncomingMessage, hops: number): string {
  const socketAddress = request.socket.remoteAddress ?? 'unknown';
  if (hops === 0) return socketAddress;
  const forwarded = [request.headers['x-forwarded-for']].flat().join(',').split(',');
  const entry = forwarded.at(-Math.min(hops, forwarded.length))?.trim();
  return entry === undefined || entry === '' ? socketAddress : entry;
}

/** What is counted as one client: an IPv4 address, or the /64 that one IPv6 customer has all of. */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  if (tail !== undefined) {
    const after = tail.split(':').filter((group) => group !== '');
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}

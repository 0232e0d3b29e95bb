import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../context/loopback.ts';

/** Headers by which proxies tell of a client behind them; a browser sends none of them. */
const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
] as const;

const isLoopbackAddress = (address: string): boolean => /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/.test(address);

/**
 * Whether a program on this machine asks, with nobody in between. The name in Host keeps out pages of the web whose own name leads here
 * (DNS rebinding); a proxy on this machine is known by the headers that it adds, or by HTTP/1.0: nginx without settings speaks it, adds
 * none, and names this machine in Host. No browser speaks it.
 */
export function isFromThisMachine(
  { socket, headers, httpVersion }: Pick<IncomingMessage, 'socket' | 'headers' | 'httpVersion'>,
  trustProxyHops: number,
): boolean {
  if (trustProxyHops > 0 || !isLoopbackAddress(socket.remoteAddress ?? '')) return false;
  if (httpVersion === '1.0' || PROXY_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const url = URL.parse(`http://${headers.host ?? ''}/`);
  return (
    url !== null && url.host === (headers.host ?? '').toLowerCase().replace(/:80$/, '') && isLoopback(url.hostname)
  );
}

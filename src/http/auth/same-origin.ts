import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../../context/loopback.ts';
import { assertThat, CarnetError } from '../../errors/carnet-error.ts';

/** The names of this machine for itself; the service is reached by either. */
const LOOPBACK = ['127.0.0.1', 'localhost'];

/**
 * Makes the judge of requests that a browser sends with the session cookie and that change something: they must come from
 * a page of this service. SameSite=Strict does not keep out a page on another port of the same host.
 * @returns a function that throws CarnetError ORIGIN_FORBIDDEN
 */
export function createOriginCheck(publicBaseUrl: string): (headers: IncomingHttpHeaders) => void {
  const allowed = originsOf(new URL(publicBaseUrl));
  return ({ origin, 'sec-fetch-site': site }) => {
    const fits = origin === undefined ? site === 'same-origin' : allowed.has(origin);
    assertThat(
      fits,
      () =>
        new CarnetError(
          'ORIGIN_FORBIDDEN',
          `With the session cookie a change needs the header Origin: ${[...allowed][0]}, which browsers send from pages of this service.`,
        ),
    );
  };
}

/**
 * Makes the judge of requests to a door that no page of another site may use (DNS rebinding): an Origin is that of this service, and a service of
 * one machine is asked by a name of it, by an address or by a name without a dot, since a page of the web has another.
 * @returns a function that throws CarnetError ORIGIN_FORBIDDEN
 */
export function createForeignCheck(publicBaseUrl: string): (headers: IncomingHttpHeaders) => void {
  const base = new URL(publicBaseUrl);
  const allowed = originsOf(base);
  const isOwn = (host: string): boolean => {
    const hostname = URL.parse(`http://${host}/`)?.hostname;
    return hostname !== undefined && (/^[^.]+$/.test(hostname) || isIP(hostname) !== 0);
  };
  return ({ origin, host = '' }) => {
    if (origin !== undefined && !allowed.has(origin))
      throw new CarnetError(
        'ORIGIN_FORBIDDEN',
        `The header Origin names another site; send ${[...allowed][0]}, or leave it out as a program does.`,
      );
    if (isLoopback(base.hostname) && !isOwn(host))
      throw new CarnetError(
        'ORIGIN_FORBIDDEN',
        `This service is at ${base.host}, and the header Host names another; PUBLIC_BASE_URL says where it is.`,
      );
  };
}

/** On one machine localhost with the same port is the same service. */
const originsOf = (base: URL): ReadonlySet<string> => {
  const named = (hostname: string): string => Object.assign(new URL(base), { hostname }).origin;
  return new Set([base.origin, ...(LOOPBACK.includes(base.hostname) ? LOOPBACK.map(named) : [])]);
};

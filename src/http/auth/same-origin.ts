import type { IncomingHttpHeaders } from 'node:http';
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

/** On one machine localhost with the same port is the same service. */
const originsOf = (base: URL): ReadonlySet<string> => {
  const named = (hostname: string): string => Object.assign(new URL(base), { hostname }).origin;
  return new Set([base.origin, ...(LOOPBACK.includes(base.hostname) ? LOOPBACK.map(named) : [])]);
};

import type { Exchange } from './exchange.ts';
import { etagOf, type PreparedJson } from '../json/prepared.ts';
import type { AnyRoute, Links, RouteAnswer } from './route.ts';
import { apiHeaders } from './security-headers.ts';

const headersOf = (mediaType: string): readonly string[] => [...apiHeaders, 'Content-Type', mediaType];
const jsonHeaders = headersOf('application/json');

/**
 * Sends what a handler answered, parsed by the reply schema, so that nothing leaves that is not named there.
 * @throws ZodError where the handler answered something else: a fault of ours
 * @returns the status
 */
export function sendAnswer(exchange: Exchange, route: AnyRoute, answer: RouteAnswer<unknown>): number {
  const { text, bytes, etag } = 'prepared' in answer ? answer.prepared : written(route, answer.body);
  const mediaType = 'prepared' in answer ? (answer.mediaType ?? route.mediaType) : route.mediaType;
  const typed = mediaType === undefined ? jsonHeaders : headersOf(mediaType);
  const headers = [...typed, 'Cache-Control', route.cache ?? 'no-store'];
  if (route.alternatives !== undefined) headers.push('Vary', 'Accept');
  if ('location' in answer && answer.location !== undefined) headers.push('Location', answer.location);
  if ('replayed' in answer) {
    exchange.commanded = true;
    if (answer.replayed) headers.push('Idempotency-Replayed', 'true');
  }
  if (answer.links !== undefined) pushLinks(headers, exchange, answer.links);
  if (answer.headers !== undefined) headers.push(...Object.entries(answer.headers).flat());
  if (route.cache !== undefined) {
    headers.push('ETag', etag);
    if (isKnown(exchange.request.headers['if-none-match'], etag)) {
      exchange.sendEmpty(304, headers);
      return 304;
    }
  }
  exchange.send(answer.status, headers, text, bytes);
  return answer.status;
}

function written({ reply, cache, mediaType }: AnyRoute, body: unknown): PreparedJson<unknown> {
  const parsed = reply.parse(body);
  const text = mediaType === undefined ? JSON.stringify(parsed) : String(parsed);
  return { text, bytes: Buffer.byteLength(text), etag: cache === undefined ? '' : etagOf(text) };
}

/** RFC 8288, with paths: clients resolve them against the request, whatever proxy stands before us. */
function pushLinks(headers: string[], { path, search }: Exchange, links: Links): void {
  const parts = Object.entries(links).map(([relation, parameters]) => {
    const query = new URLSearchParams(search);
    for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
    return `<${path}?${query.toString()}>; rel="${relation}"`;
  });
  if (parts.length > 0) headers.push('Link', parts.join(', '));
}

/** RFC 9110 §13.1.2: weak comparison, a list or `*`. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));

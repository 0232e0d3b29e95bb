import type { Exchange } from '../exchange.ts';
import { etagOf } from '../prepared-json.ts';
import { isKnown } from '../reply.ts';
import { apiHeaders, pageHeaders } from '../security-headers.ts';

/** A page of the service itself, outside of /v1, for anyone to GET. */
export interface Page {
  status: number;
  type: string;
  body: string | Buffer;
  /** Absent: `no-store`. Present: the answer has an ETag as well. */
  cacheControl?: string;
}

/** A page and how logs and metrics name it. */
export interface NamedPage {
  operation: string;
  page(): Page | Promise<Page>;
}

export const jsonPage = (status: number, body: unknown): Page => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

/** @returns the status */
export function sendPage(exchange: Exchange, { status, type, body, cacheControl }: Page): number {
  const security = type.startsWith('text/html') ? pageHeaders : apiHeaders;
  if (cacheControl === undefined) {
    exchange.send(status, [...security, 'Content-Type', type, 'Cache-Control', 'no-store'], body);
    return status;
  }
  const etag = etagOf(body);
  const headers = [...security, 'Content-Type', type, 'Cache-Control', cacheControl, 'ETag', etag];
  if (isKnown(exchange.request.headers['if-none-match'], etag)) {
    exchange.sendEmpty(304, headers);
    return 304;
  }
  exchange.send(status, headers, body);
  return status;
}

import type { Readable } from 'node:stream';

/** A page of the service itself, outside of /v1, for anyone to GET. */
export interface Page {
  status: number;
  type: string;
  body: string | Buffer;
  /** In place of the body: it is sent as it comes. */
  stream?: Readable;
  /** Absent: `no-store`. Present: the answer has an ETag as well. */
  cacheControl?: string;
  /** The ETag of a body that is kept: made once instead of for each answer. */
  etag?: string;
  /** How the body is compressed; absent: not at all. */
  coding?: Exclude<Coding, 'identity'>;
  /** The headers of the request that the page depends on. */
  vary?: string;
  /** The path where the browser goes next after a 303. */
  location?: string;
  /** Further headers: of a refusal Retry-After, of signing in Set-Cookie. */
  headers?: Readonly<Record<string, string>>;
}

/** Content codings that answers may have, the shortest first. */
export const codings = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof codings)[number];

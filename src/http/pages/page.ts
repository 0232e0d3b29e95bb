import type { Exchange } from '../exchange.ts';
import type { JsonValue } from '../../json/value.ts';
import { etagOf } from '../../json/prepared.ts';
import { isKnown } from '../reply.ts';
import { apiHeaders, pageHeaders } from '../security-headers.ts';

/** A page of the service itself, outside of /v1, for anyone to GET. */
export interface Page {
  status: number;
  type: string;
  body: string | Buffer;
  /** Absent: `no-store`. Present: the answer has an ETag as well. */
  cacheControl?: string;
  /** Of a 303: the path where the browser goes next. */
  location?: string;
}

export interface PageRequest {
  /** What the address has where the path of the page has `:id`; '' for pages without. */
  id: string;
}

export interface FormRequest extends PageRequest {
  /** The form as it was sent: one text a member, several where it came several times. */
  form: JsonValue;
}

/** A page and how logs and metrics name it. */
export interface NamedPage {
  operation: string;
  page(request: PageRequest): Page | Promise<Page>;
  /** What its form does, by POST; absent: the page is only read. */
  submit?(request: FormRequest): Promise<Page>;
}

export type PathOfPage = [path: string, page: NamedPage];

/** Pages by path; one that ends in `/:id` is the page of every id, unless the whole path has a page of its own. */
export class PageTable {
  readonly #pages: ReadonlyMap<string, NamedPage>;

  constructor(pages: Iterable<PathOfPage>) {
    this.#pages = new Map(pages);
  }

  find(path: string): { page: NamedPage; id: string } | undefined {
    const whole = this.#pages.get(path);
    if (whole !== undefined) return { page: whole, id: '' };
    const last = path.lastIndexOf('/') + 1;
    const page = this.#pages.get(`${path.slice(0, last)}:id`);
    return page === undefined || last === path.length ? undefined : { page, id: path.slice(last) };
  }
}

export const jsonPage = (status: number, body: unknown): Page => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

/** @returns the status */
export function sendPage(exchange: Exchange, { status, type, body, cacheControl, location }: Page): number {
  const security = type.startsWith('text/html') ? pageHeaders : apiHeaders;
  if (cacheControl === undefined) {
    const where = location === undefined ? [] : ['Location', location];
    exchange.send(status, [...security, 'Content-Type', type, 'Cache-Control', 'no-store', ...where], body);
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

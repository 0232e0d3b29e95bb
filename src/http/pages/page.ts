import type { Context as KoaContext } from 'koa';
import { etagOf } from '../../json/prepared.ts';
import type { JsonValue } from '../../json/value.ts';
import { isKnown } from '../answer.ts';
import { pageHeaders } from '../security-headers.ts';

/** A page of the service itself, outside of /v1, for anyone to GET. */
export interface Page {
  status: number;
  type: string;
  body: string | Buffer;
  /** Absent: `no-store`. Present: the answer has an ETag as well. */
  cacheControl?: string;
  /** Of a 303: the path where the browser goes next. */
  location?: string;
  /** Further headers: of a refusal Retry-After, of signing in Set-Cookie. */
  headers?: Readonly<Record<string, string>>;
}

interface PageRequest {
  /** What the address has where the path of the page has `:id`; '' for pages without. */
  id: string;
}

interface FormRequest extends PageRequest {
  /** The form as it was sent: one text a member, several where it came several times. */
  form: JsonValue;
}

/** A page and how logs and metrics name it. */
export interface NamedPage {
  operation: string;
  page(request: PageRequest): Page | Promise<Page>;
  /** Whoever watches over this process may ask at any time: not counted by address. It costs no query of its own. */
  uncounted?: true;
  /** What its form does, by POST; absent: the page is only read. */
  submit?(request: FormRequest): Promise<Page>;
}

/** A page, and what the address has for its `:id`. */
export interface FoundPage<P = NamedPage> extends PageRequest {
  page: P;
}

export type PathOfPage = [path: string, page: NamedPage];

/** Pages by path; one that ends in `/:id` is the page of every id, unless the whole path has a page of its own. */
export class PageTable<P = NamedPage> {
  readonly #pages: ReadonlyMap<string, P>;

  constructor(pages: Iterable<readonly [path: string, page: P]>) {
    this.#pages = new Map(pages);
  }

  find(path: string): FoundPage<P> | undefined {
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

export function sendPage(ctx: KoaContext, { status, type, body, cacheControl, location, headers }: Page): void {
  if (type.startsWith('text/html')) ctx.set(pageHeaders);
  ctx.status = status;
  ctx.set('Content-Type', type);
  ctx.set('Cache-Control', cacheControl ?? 'no-store');
  if (location !== undefined) ctx.set('Location', location);
  if (headers !== undefined) ctx.set(headers);
  if (cacheControl !== undefined && isKnown(ctx, etagOf(body))) ctx.status = 304;
  else ctx.body = body;
}

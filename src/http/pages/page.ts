import type { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { etagOf } from '../../json/prepared.ts';
import type { JsonValue } from '../../json/value.ts';
import { isKnown, preferredType } from '../answer.ts';
import { pageHeaders } from '../security-headers.ts';

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
  headers?: Readonly<Record<string, string | string[]>>;
}

/** Content codings that answers may have, the shortest first. */
const codings = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof codings)[number];

/** The types that the client would rather be sent. */
export interface Preferences {
  /** Which of these media types; the first where the client has no preference, and where it takes none of them. */
  preferredType<Type extends string>(...offers: [Type, ...Type[]]): Type;
  /** The shortest that the client takes; browsers list several without a preference. */
  shortestCoding(): Coding;
}

interface PageRequest extends Preferences {
  /** The value that the address has where the path of the page has `:id`; '' for pages without. */
  id: string;
}

/** The preferences of a client that is sent what there is, uncompressed. */
export const noPreferences: Preferences = { preferredType: (first) => first, shortestCoding: () => 'identity' };

export const preferencesOf = (ctx: Pick<ParameterizedContext, 'accepts' | 'acceptsEncodings'>): Preferences => ({
  preferredType: (...offers) => preferredType(ctx, offers),
  shortestCoding: () => codings.find((coding) => ctx.acceptsEncodings(coding) !== false) ?? 'identity',
});

interface FormRequest extends PageRequest {
  /** The form as it was sent: one text a member, several where it came several times. */
  form: JsonValue;
}

/** A page and how logs and metrics name it. */
export interface NamedPage {
  operation: string;
  page(request: PageRequest): Page | Promise<Page>;
  /** A monitor of this process may ask at any time: not counted by address. It costs no query of its own. */
  uncounted?: true;
  /** The same for everybody: counted with such documents alone. */
  document?: true;
  /** People open it in browsers, payers for one: it is refused in HTML, unless JSON is what is wanted. */
  forPeople?: true;
  /** The act of its form, by POST; absent: the page is only read. */
  submit?(request: FormRequest): Promise<Page>;
  /** The act needs nothing of its form, which may then be of any type: mail programs send `multipart/form-data` (RFC 8058). */
  anyForm?: true;
}

/** A page, and what the address has for its `:id`. */
export interface FoundPage<P = NamedPage> {
  id: string;
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

export function sendPage(
  ctx: ParameterizedContext,
  { status, type, body, stream, cacheControl, etag, coding, vary, location, headers }: Page,
): void {
  if (type.startsWith('text/html')) ctx.set(pageHeaders);
  ctx.status = status;
  ctx.set('Content-Type', type);
  ctx.set('Cache-Control', cacheControl ?? 'no-store');
  if (coding !== undefined) ctx.set('Content-Encoding', coding);
  if (vary !== undefined) ctx.set('Vary', vary);
  if (location !== undefined) ctx.set('Location', location);
  if (headers !== undefined) ctx.set(headers);
  if (cacheControl !== undefined && isKnown(ctx, etag ?? etagOf(body))) ctx.status = 304;
  else ctx.body = stream ?? body;
}

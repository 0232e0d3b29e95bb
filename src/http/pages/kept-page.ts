import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { etagOf } from '../../json/prepared.ts';
import type { Coding, NamedPage } from './page.ts';

interface KeptPage {
  operation: string;
  type: string;
  cacheControl: string;
  /** Returns what is sent; called at the first request. */
  load(): Buffer | Promise<Buffer>;
}

interface Form {
  body: Buffer;
  etag: string;
}

/**
 * The highest, from 0 to 11, that costs about as much as sending. The largest script (1.7 MB) takes 160 ms, in a thread of its own, and
 * becomes 392 kB; with 11 it takes 6 s and becomes 359 kB.
 */
const BROTLI_QUALITY = 9;

const compress: Record<Exclude<Coding, 'identity'>, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify(gzip),
};

/**
 * A page that is the same for everybody as long as the process runs. Each of its forms, as it is and compressed, is made when it is first
 * asked for and kept with an ETag of its own: a cache must not take one for another.
 */
export function keptPage({ operation, type, cacheControl, load }: KeptPage): NamedPage {
  const forms = new Map<Coding, Promise<Form>>();
  const make = async (coding: Coding): Promise<Form> => {
    const body = coding === 'identity' ? await load() : await compress[coding]((await form('identity')).body);
    return { body, etag: etagOf(body) };
  };
  const form = (coding: Coding): Promise<Form> => {
    const known = forms.get(coding);
    if (known !== undefined) return known;
    const made = make(coding);
    forms.set(coding, made);
    made.catch(() => forms.delete(coding)); // the next request tries again
    return made;
  };
  return {
    operation,
    document: true,
    async page({ shortestCoding }) {
      const coding = shortestCoding();
      const { body, etag } = await form(coding);
      return {
        status: 200,
        type,
        body,
        etag,
        cacheControl,
        vary: 'Accept-Encoding',
        ...(coding !== 'identity' && { coding }),
      };
    },
  };
}

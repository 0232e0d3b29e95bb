import type { IncomingMessage } from 'node:http';
import { CarnetError } from '../errors/carnet-error.ts';
import { shown } from '../json/shown.ts';
import type { Middleware } from './state.ts';

/** The bytes that follow on the connection may be a body that nobody reads, so it ends here. */
const closing = { headers: { Connection: 'close' } };

/**
 * Headers that decide who is asked, who asks and what is sent. Node takes the first of several; a proxy that stands before us may have
 * looked at another.
 */
const ONCE = ['host', 'authorization', 'content-type'];

/** The first of these headers that was sent twice. */
function doubled({ headers, rawHeaders }: IncomingMessage): string | undefined {
  if (rawHeaders.length === 2 * Object.keys(headers).length) return undefined;
  const names = rawHeaders.filter((_text, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return ONCE.find((one) => names.indexOf(one) !== names.lastIndexOf(one));
}

/** Refuses what HTTP itself does not allow, or allows a server to refuse; Node leaves it to us, so that the answer is a problem. */
export const wellFormed: Middleware<unknown> = (ctx, next) => {
  const { headers, httpVersion } = ctx.req;
  // HTTP/1.1 requires a Host, and no version before it does (RFC 9112 §3.2).
  if (headers.host === undefined && httpVersion !== '1.0')
    throw new CarnetError('VALIDATION_ERROR', 'An HTTP/1.1 request names its host: send the header Host.', closing);
  const twice = doubled(ctx.req);
  if (twice !== undefined)
    throw new CarnetError('VALIDATION_ERROR', `The header ${twice} was sent more than once; send it once.`, closing);
  // Node reads `gzip, chunked` as chunked, and would hand on the compressed bytes (RFC 9112 §6.1).
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw new CarnetError(
      'VALIDATION_ERROR',
      `The only Transfer-Encoding that is taken here is chunked; it came with ${shown(coding)}.`,
      closing,
    );
  // Before 1.1 there were no chunks: a proxy that stands before us may have ended the body elsewhere (RFC 9112 §6.1).
  if (coding !== undefined && httpVersion === '1.0')
    throw new CarnetError(
      'VALIDATION_ERROR',
      'HTTP/1.0 has no Transfer-Encoding: send Content-Length, or HTTP/1.1.',
      closing,
    );
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    throw new CarnetError(
      'EXPECTATION_FAILED',
      'The only expectation that is met here is Expect: 100-continue; leave the header out.',
      closing,
    );
  return next();
};

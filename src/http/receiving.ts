import type { IncomingMessage } from 'node:http';
import { CarnetError } from '../errors/carnet-error.ts';
import type { Middleware, Received } from './state.ts';

/** Bytes of bodies that a process holds at once for all receivers, from their announcement to the answer, and for one of them. */
const MOST_BYTES = 64 * 1_048_576;
const MOST_BYTES_OF_ONE = 32 * 1_048_576;

/**
 * Looks at whom a signed request is sent to before its body is read, and keeps the bytes in flight bounded: bodies are read before anybody
 * knows whether their signature fits.
 * @throws CarnetError what the route's `admit` throws; TEMPORARILY_UNAVAILABLE, since senders try that again
 */
export function receiving(): Middleware<Received> {
  const inFlight = new Map<string, number>();
  let total = 0;
  return async (ctx, next) => {
    const { route, params, context } = ctx.state;
    if (route.receiver === undefined) return await next();
    const limit = await route.receiver.admit(context, params);
    ctx.state.bodyLimit = limit;
    const receiver = `${route.operation}:${route.receiver.of(params)}`;
    const bytes = Math.min(announced(ctx.req) ?? limit, limit);
    const held = inFlight.get(receiver) ?? 0;
    if (total + bytes > MOST_BYTES || held + bytes > MOST_BYTES_OF_ONE) {
      throw new CarnetError(
        'TEMPORARILY_UNAVAILABLE',
        'Too much is being received at once; send this again in a moment.',
        {
          headers: { 'Retry-After': '5' },
        },
      );
    }
    inFlight.set(receiver, held + bytes);
    total += bytes;
    try {
      await next();
    } finally {
      total -= bytes;
      const left = (inFlight.get(receiver) ?? 0) - bytes;
      if (left > 0) inFlight.set(receiver, left);
      else inFlight.delete(receiver);
    }
  };
}

/** Bytes that the head announces; undefined: it does not say how many. */
function announced({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}

import { CarnetError } from '../errors/carnet-error.ts';
import type { Middleware, Received } from './state.ts';

/** Bytes of bodies that a process holds at once for all receivers, as they arrive and until the answer, and for those of one owner. */
const MOST_BYTES = 64 * 1_048_576;
const MOST_BYTES_OF_OWNER = 32 * 1_048_576;

/**
 * Looks at whom a signed request is sent to before its body is read, and keeps the bytes in flight bounded: bodies are read before anybody
 * knows whether their signature fits. Bytes count when they arrive, so what is announced and not sent takes nobody's room; a request that
 * comes over a bound while it arrives is cut off, and its sender tries again.
 * @throws CarnetError what the route's `admit` throws; TEMPORARILY_UNAVAILABLE, since senders try that again
 */
export function receiving(): Middleware<Received> {
  const inFlight = new Map<string, number>();
  let total = 0;
  const isFull = (owner: string): boolean => total >= MOST_BYTES || (inFlight.get(owner) ?? 0) >= MOST_BYTES_OF_OWNER;
  const add = (owner: string, bytes: number): void => {
    total += bytes;
    const held = (inFlight.get(owner) ?? 0) + bytes;
    if (held > 0) inFlight.set(owner, held);
    else inFlight.delete(owner);
  };
  return async (ctx, next) => {
    const { route, params, context } = ctx.state;
    if (route.receiver === undefined) return await next();
    const { limit, owner, found } = await route.receiver.admit(context, params);
    ctx.state.bodyLimit = limit;
    ctx.state.found = found;
    if (isFull(owner)) {
      const detail = 'Too much is being received at once; send this again in a moment.';
      throw new CarnetError('TEMPORARILY_UNAVAILABLE', detail, { headers: { 'Retry-After': '5' } });
    }
    let arrived = 0;
    const count = (chunk: Buffer): void => {
      if (isFull(owner)) ctx.req.destroy();
      arrived += chunk.length;
      add(owner, chunk.length);
    };
    ctx.req.on('data', count);
    try {
      await next();
    } finally {
      ctx.req.off('data', count);
      add(owner, -arrived);
    }
  };
}

import { assertKeyNotReused, idempotencyOf } from '../commands/idempotency.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import type { JsonValue } from '../json/value.ts';
import { takesKey } from './route.ts';
import type { Keyed, Middleware } from './state.ts';

/**
 * The Idempotency-Key of a command and what it stands for. The command looks it up, in its transaction; what is refused before never gets
 * there, so a key that stands for another request is found out here: 409 goes before 400, and before the 404 of an id that cannot be one.
 * (The same request cannot be refused now and have an answer: what is judged before the command is judged the same way every time.)
 * @throws CarnetError VALIDATION_ERROR for a key that is not well formed, IDEMPOTENCY_KEY_REUSED
 */
export const idempotency: Middleware<Keyed> = (ctx, next) => {
  const { context, route, path, caller, sent } = ctx.state;
  const sentKey = takesKey(route) ? (ctx.req.headers['idempotency-key'] as string | undefined) : undefined;
  ctx.state.idempotency = null;
  if (sentKey === undefined || caller === null) return next();
  const key = idempotencyOf(sentKey, { method: ctx.method, path, body: sent as JsonValue });
  ctx.state.idempotency = key;
  return next().catch(async (error: unknown) => {
    if (error instanceof CarnetError && (error.status === 400 || error.status === 404))
      await assertKeyNotReused(context.pool, { caller, idempotency: key });
    throw error;
  });
};

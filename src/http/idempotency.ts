import { hash } from 'node:crypto';
import { z } from 'zod';
import { agentPart, type Caller } from '../commands/caller.ts';
import type { Idempotency } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';
import { canonicalJson } from '../json/canonical.ts';
import { CarnetError, invalid } from '../errors/carnet-error.ts';
import type { JsonValue } from '../json/value.ts';

/** Decisions §1: 1 to 255 printable ASCII characters. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * The Idempotency-Key of a request with what it stands for: SHA-256 over method, path and JCS of the body.
 * @throws CarnetError VALIDATION_ERROR for a key that is not well formed
 */
export function idempotencyOf(
  key: string | undefined,
  request: { method: string; path: string; body: JsonValue },
): Idempotency | null {
  if (key === undefined) return null;
  if (!KEY.test(key)) {
    throw invalid({
      path: 'header.idempotency-key',
      code: 'invalid_format',
      message: 'must be 1 to 255 printable ASCII characters',
    });
  }
  const text = `${request.method}\n${request.path}\n${canonicalJson(request.body)}`;
  return { key, fingerprint: hash('sha256', text, 'buffer') };
}

/**
 * The key is looked up before anything else is judged, but by the command, in its transaction. A body that is refused before
 * never gets there, so a key that stands for another request has to be told here: 409 goes before 400.
 * (The same body cannot be refused and have an answer: what is judged here is judged the same way every time.)
 * @throws CarnetError IDEMPOTENCY_KEY_REUSED
 */
export async function assertKeyNotReused(
  context: Context,
  caller: Caller,
  { key, fingerprint }: Idempotency,
): Promise<void> {
  const reused = await context.pool.exists(sql.type(z.object({}))`
    select 1 from idempotency_keys
    where operator_id = ${caller.operatorId} and agent_id = ${agentPart(caller)} and key = ${key}
      and fingerprint <> ${sql.binary(fingerprint)} and created_at >= now() - interval '24 hours'`);
  if (reused) {
    throw new CarnetError(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for another method, path or body; use a new key for a new request.',
    );
  }
}

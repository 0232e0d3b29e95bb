import type { QuerySqlToken } from 'slonik';
import { z } from 'zod';
import { actorName } from '../../commands/caller.ts';
import { runHotCommand, type Answered, type CommandCall, type CommandEffects } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { json } from '../../database/columns.ts';
import { sql } from '../../database/pool.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { assertKeyNotReused } from '../../http/idempotency.ts';
import { RevokedManySchema, RevokedSchema, type RevokeBody, type Revoked, type RevokedMany } from '../schema.ts';

/** Passports named one by one to the other processes; where more were revoked they hear that anything may have changed. */
const MOST_NAMED = 1_000;

/** What revoke_passport() and revoke_passports() return (type passport_revocation_answer). */
const AnswerRow = z.object({ replayed: z.boolean(), body: json, revoked: z.array(z.string()), messages: z.number() });

/**
 * Revokes a passport, all that it was refreshed from or into and all that was delegated from any of them. Once this is answered, none
 * of them verifies (decisions A16, A18).
 * @throws CarnetError NOT_FOUND
 */
export const revokePassport = (
  context: Context,
  call: CommandCall,
  { jti, reason }: RevokeBody,
): Promise<Answered<Revoked>> =>
  revoke(
    context,
    call,
    RevokedSchema,
    sql.type(AnswerRow)`
    select * from revoke_passport(${beginning(call)}, p_jti => ${jti}, p_reason => ${reason})`,
  );

/** What is revoked at once; `id` is the agent's, the session's or the operator's own. */
export interface RevocationScope {
  scope: 'agent' | 'session' | 'operator';
  id: string;
  reason: string;
}

/** Revokes everything active in a scope; an id that is unknown or another operator's has nothing (decisions A20). */
export const revokePassports = (
  context: Context,
  call: CommandCall,
  { scope, id, reason }: RevocationScope,
): Promise<Answered<RevokedMany>> =>
  revoke(
    context,
    call,
    RevokedManySchema,
    sql.type(AnswerRow)`
    select * from revoke_passports(${beginning(call)}, p_scope => ${scope}, p_id => ${id}, p_reason => ${reason})`,
  );

/** @throws CarnetError CONFIRMATION_REQUIRED */
export async function revokeAllPassports(
  context: Context,
  call: CommandCall,
  { confirm, reason }: { confirm?: unknown; reason: string },
): Promise<Answered<RevokedMany>> {
  if (confirm !== true) {
    // As for every other fault of a body, a key that stands for another request is told first.
    if (call.idempotency !== null) await assertKeyNotReused(context, call.caller, call.idempotency);
    throw new CarnetError(
      'CONFIRMATION_REQUIRED',
      'This revokes every active passport of the operator; send "confirm": true.',
      {
        errors: [{ path: 'confirm', code: 'confirmation_required', message: 'must be true' }],
      },
    );
  }
  return await revokePassports(context, call, { scope: 'operator', id: call.caller.operatorId, reason });
}

async function revoke<Body>(
  context: Context,
  call: CommandCall,
  reply: z.ZodType<Body>,
  statement: QuerySqlToken<typeof AnswerRow>,
): Promise<Answered<Body>> {
  const { body, replayed } = await runHotCommand(context, call, statement, effects);
  return { status: 200, body: reply.parse(body), replayed };
}

const effects = ({ revoked, messages }: z.output<typeof AnswerRow>): CommandEffects => ({
  changed: revoked.length > MOST_NAMED ? ['*'] : revoked,
  messages,
});

const beginning = ({ caller, idempotency, requestId }: CommandCall) => sql.fragment`
  p_operator => ${caller.operatorId}, p_actor => ${actorName(caller)}, p_key => ${idempotency?.key ?? null},
  p_fingerprint => ${idempotency === null ? null : sql.binary(idempotency.fingerprint)}, p_request => ${requestId}`;

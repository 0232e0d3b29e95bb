import { z } from 'zod';
import { withTopUpUrl } from '../billing/index.ts';
import { agentPart, type Caller } from '../commands/caller.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runHotCommand } from '../commands/hot.ts';
import type { Context } from '../context/context.ts';
import { translated } from '../database/errors.ts';
import { sql } from '../database/pool.ts';
import { isRaised } from '../database/sql-states.ts';
import { canonicalJson, sha256Hex } from '../json/canonical.ts';
import { CarnetError, withFaults } from '../errors/carnet-error.ts';
import { newId } from '../ids/ids.ts';
import { refuseWhereOverloaded } from '../lives/index.ts';
import { boundOfSkill, modelCallsOfSkill, type PlannedCall } from '../skills/index.ts';
import { actOf } from './act.ts';
import { workArrived } from './announce.ts';
import { answerOf, InvocationAnswerRow } from './answer.ts';
import { checkInput, forgetInputContract } from './payload-check.ts';
import type { Invocation, InvokeBody } from './schema.ts';

/** Then 503: only a skill that is patched all the time changes between every check and its statement. */
const MAX_CHECKS = 3;

/**
 * Creates a pending invocation and holds its price. The input is checked before the one statement that decides; that statement
 * fails where the skill has another revision by then.
 * @throws CarnetError NOT_FOUND, VALIDATION_ERROR, AGENT_BLOCKED, AGENT_CREDENTIAL_FORBIDDEN, INVALID_PASSPORT,
 *   PASSPORT_REVOKED, PASSPORT_EXPIRED, AUTHORITY_BINDING_INVALID, SKILL_NOT_ACTIVE, EXECUTION_UNAVAILABLE, CREDENTIAL_REQUIRED,
 *   SELLER_LIMIT_REACHED, PRICE_CHANGED, TRUST_LEVEL_INSUFFICIENT, TIER_LIMIT_EXCEEDED, INPUT_SCHEMA_MISMATCH, AGENT_BUDGET_EXCEEDED, PASSPORT_BUDGET_EXCEEDED, INSUFFICIENT_CREDITS,
 *   RATE_LIMITED, OVERLOADED, TEMPORARILY_UNAVAILABLE.
 */
export async function invokeSkill(
  context: Context,
  call: CommandCall,
  { skillId, body, trial = false }: { skillId: string; body: InvokeBody; trial?: boolean },
): Promise<Answered<Invocation>> {
  refuseWhereOverloaded(context, call.caller.operatorId);
  const { agentId, passportId } = invokingAs(call.caller, body);
  const input = JSON.stringify(body.input);
  const inputHash = sha256Hex(canonicalJson(body.input));
  const admit = (): Promise<void> =>
    refuseInvocation(context, call, { ...body, passport_id: passportId, skillId, agentId, trial });
  for (let left = MAX_CHECKS; left > 0; left -= 1) {
    const check = await checkInput(context, { skillId, input, caller: call.caller.operatorId }, admit);
    try {
      const bound = check.isExecuted ? await boundOfSkill(context, skillId) : 0;
      const modelCalls = check.isExecuted ? await modelCallsOfSkill(context, skillId) : [];
      const checked = { revision: check.revision, fits: check.faults.length === 0, bound, modelCalls, trial };
      const query = invokeStatement(context, call, {
        ...body,
        ...checked,
        passport_id: passportId,
        skillId,
        agentId,
        input,
        inputHash,
      });
      return answerOf(await runHotCommand(context, call, { query, effects: workArrived }), call.caller.operatorId, 201);
    } catch (error) {
      if (isRaised(error, 'revisionMoved')) {
        forgetInputContract(context, skillId);
        continue;
      }
      if (error instanceof CarnetError && error.code === 'INPUT_SCHEMA_MISMATCH') {
        throw withFaults(error, check.faults);
      }
      throw withTopUpUrl(context.config, error);
    }
  }
  throw new CarnetError(
    'TEMPORARILY_UNAVAILABLE',
    'The skill is being changed right now; repeat the call in a moment.',
    {
      headers: { 'Retry-After': '1' },
    },
  );
}

interface CheckedInvoke extends Omit<InvokeBody, 'input'> {
  skillId: string;
  agentId: string | null;
  input: string;
  inputHash: string;
  revision: number | null;
  fits: boolean;
  /** The most that its execution can cost, in cents; null: it cannot be executed now. */
  bound: number | null;
  modelCalls: PlannedCall[];
  /** Its owner tries it, whether it is public or not. */
  trial: boolean;
}

function invokeStatement(context: Context, call: CommandCall, checked: CheckedInvoke) {
  const { key, actor, requestId } = actOf(call);
  const { caller } = call;
  return sql.type(InvocationAnswerRow)`
    select * from invoke_skill(
      p_operator => ${caller.operatorId}, p_agent_part => ${agentPart(caller)}, p_actor => ${actor},
      p_key => ${key?.key ?? null}, p_fingerprint => ${key === null ? null : sql.binary(key.fingerprint)}, p_request => ${requestId},
      p_invocation => ${newId('inv')}, p_hold => ${newId('hld')}, p_skill => ${checked.skillId},
      p_revision => ${checked.revision}, p_input => ${checked.input}, p_input_hash => ${checked.inputHash}, p_input_fits => ${checked.fits},
      p_agent => ${checked.agentId}, p_passport => ${checked.passport_id ?? null}, p_mission => ${checked.mission_id ?? null},
      p_api_key => ${caller.kind === 'agent' ? caller.keyId : null},
      p_api_key_limit => ${caller.kind === 'agent' ? caller.monthlyLimitCents : null},
      p_ttl_seconds => ${checked.ttl_seconds ?? context.config.invocationTtlSeconds}, p_max_price => ${checked.max_price_cents ?? null},
      p_compute_bound => ${checked.bound}, p_trial => ${checked.trial},
      p_model_calls => ${JSON.stringify(checked.modelCalls)}::jsonb, p_by_passport => ${caller.kind === 'passport'})`;
}

/** Refuses what invoke_skill() refuses before it looks at the input, and nothing where the call only repeats one that was answered. */
async function refuseInvocation(
  { pool }: Context,
  { caller, idempotency }: CommandCall,
  body: Pick<CheckedInvoke, 'skillId' | 'agentId' | 'passport_id' | 'mission_id' | 'max_price_cents' | 'trial'>,
): Promise<void> {
  await translated(
    pool.query(sql.type(z.object({}))`
        select refuse_invocation(
          p_operator => ${caller.operatorId}, p_agent_part => ${agentPart(caller)}, p_key => ${idempotency?.key ?? null},
          p_skill => ${body.skillId}, p_agent => ${body.agentId}, p_passport => ${body.passport_id ?? null},
          p_mission => ${body.mission_id ?? null}, p_max_price => ${body.max_price_cents ?? null}, p_trial => ${body.trial})`),
  );
}

/** An agent's key invokes for its own agent and no other, and a passport for its agent by itself. */
function invokingAs(
  caller: Caller,
  { agent_id: agent, passport_id: passport }: InvokeBody,
): { agentId: string | null; passportId: string | undefined } {
  if (caller.kind !== 'agent' && caller.kind !== 'passport') return { agentId: agent ?? null, passportId: passport };
  const credential = caller.kind === 'agent' ? 'key' : 'passport';
  if (agent !== undefined && agent !== caller.agentId) {
    throw new CarnetError(
      'AGENT_CREDENTIAL_FORBIDDEN',
      `This ${credential} belongs to the agent ${caller.agentId} and cannot invoke for ${agent}.`,
    );
  }
  if (caller.kind === 'agent') return { agentId: caller.agentId, passportId: passport };
  if (passport !== undefined && passport !== caller.jti) {
    throw new CarnetError(
      'AGENT_CREDENTIAL_FORBIDDEN',
      `This passport is ${caller.jti} and cannot invoke as ${passport}.`,
    );
  }
  return { agentId: caller.agentId, passportId: caller.jti };
}

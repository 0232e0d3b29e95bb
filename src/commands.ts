import type { QuerySqlToken } from 'slonik';
import { z } from 'zod';
import { actorName, agentPart, type Caller } from './caller.ts';
import type { Context } from './context.ts';
import { translateDatabaseError } from './database/errors.ts';
import { keepConnection } from './database/keep-connection.ts';
import { sql, type DatabasePool, type DatabaseTransactionConnection } from './database/pool.ts';
import { step } from './fault-points.ts';
import type { CarnetError } from './http/errors.ts';
import type { JsonValue } from './http/json-value.ts';

/** The Idempotency-Key of a call and the SHA-256 of what it was sent with (method, path, JCS of the body). */
export interface Idempotency {
  key: string;
  fingerprint: Buffer;
}

/** One call of one command: who, what, and how a repetition is recognised. */
export interface CommandCall {
  caller: Caller;
  /** The operation, as OpenAPI names it; fault points are `<operation>:<point>`. */
  operation: string;
  idempotency: Idempotency | null;
  requestId: string;
  /** What was asked, for a person to approve (decisions A33); null for what the service does by itself. */
  request: GovernedRequest | null;
}

/** One request as an approval is bound to it. */
export interface GovernedRequest {
  method: string;
  path: string;
  body: JsonValue;
  /** `X-Governance-Approval`, as it was sent. */
  approvalId: string | undefined;
}

export interface Answer<Body> {
  status: 200 | 201 | 202;
  body: Body;
  location?: string;
}

export type Answered<Body> = Answer<Body> & { replayed: boolean };

/** A refusal whose rows stay (tries of a code, an approval request): it commits and is never stored under the key (decisions C11). */
export interface CommittedRefusal {
  refusal: CarnetError;
}

/** What a command may do besides its own SQL, all in its transaction. */
export interface Unit {
  connection: DatabaseTransactionConnection;
  audit(action: string, target: string, detail?: Record<string, unknown>): Promise<void>;
  /** Leaves a message that wakes the life `workflowId`; the life reads its row. */
  wake(workflowId: string, kind: string): Promise<void>;
  /** After the commit: waiters and caches of these ids look again. */
  changed(...ids: string[]): void;
}

export interface CommandOptions {
  /** The answer holds a one-time secret: kept under the key encrypted. */
  secret?: boolean;
}

const StoredAnswer = z.object({
  status: z.number().nullable(),
  answer: z.string().nullable(),
  location: z.string().nullable(),
  encrypted: z.boolean().nullable(),
});
const Nothing = z.object({});

/**
 * Runs a command: one transaction that takes the Idempotency-Key, does the work, keeps the answer and leaves the messages;
 * then, without making the caller wait, the delivery and the waiting rows hear of it. slonik repeats a transaction that lost a
 * race, so `work` must keep no state outside of `unit`.
 * @throws CarnetError what `work` or a constraint refuses, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_FLIGHT, TEMPORARILY_UNAVAILABLE.
 */
export async function runCommand<Body>(
  context: Context,
  call: CommandCall,
  work: (unit: Unit) => Promise<Answer<Body> | CommittedRefusal>,
  options: CommandOptions = {},
): Promise<Answered<Body>> {
  const { caller, idempotency } = call;
  const key = idempotency?.key ?? null;
  const sealContext = `idempotency:${caller.operatorId}:${agentPart(caller)}:${key ?? ''}`;
  step(`${call.operation}:before`);
  const ended = await keepConnection(context.pool, (pooled) =>
    pooled.transaction(async (connection) => {
      if (idempotency !== null) {
        const stored = await connection.one(sql.type(StoredAnswer)`
          select status, answer, location, encrypted
          from take_idempotency_key(${caller.operatorId}, ${agentPart(caller)}, ${key}, ${sql.binary(idempotency.fingerprint)})`);
        if (stored.status !== null && stored.answer !== null) {
          const text = stored.encrypted === true ? context.encryption.open(stored.answer, sealContext) : stored.answer;
          const answer = { status: stored.status, body: JSON.parse(text) as Body } as Answer<Body>;
          if (stored.location !== null) answer.location = stored.location;
          return { answer, replayed: true, changed: [], messages: 0 };
        }
      }
      const changed: string[] = [];
      let messages = 0;
      const unit: Unit = {
        connection,
        changed: (...ids) => void changed.push(...ids),
        audit: async (action, target, detail = {}) => {
          await connection.query(sql.type(Nothing)`
            insert into audit_events (operator_id, actor, action, target, detail, request_id)
            values (${caller.operatorId}, ${actorName(caller)}, ${action}, ${target}, ${JSON.stringify(detail)}::jsonb, ${call.requestId})`);
        },
        wake: async (workflowId, kind) => {
          messages += 1;
          await connection.query(sql.type(Nothing)`select wake_life(${workflowId}, ${kind})`);
        },
      };
      const answer = await work(unit);
      if (idempotency !== null) {
        if ('refusal' in answer) {
          await connection.query(sql.type(Nothing)`
            delete from idempotency_keys
            where operator_id = ${caller.operatorId} and agent_id = ${agentPart(caller)} and key = ${key}`);
        } else {
          const text = JSON.stringify(answer.body);
          const secret = options.secret === true;
          await connection.query(sql.type(Nothing)`
            update idempotency_keys
            set status = ${answer.status}, answer = ${secret ? context.encryption.seal(text, sealContext) : text},
                location = ${answer.location ?? null}, encrypted = ${secret}
            where operator_id = ${caller.operatorId} and agent_id = ${agentPart(caller)} and key = ${key}`);
        }
      }
      step(`${call.operation}:before-commit`);
      return { answer, replayed: false, changed, messages };
    }),
  ).catch((error: unknown) => {
    throw translateDatabaseError(error);
  });
  step(`${call.operation}:committed`);
  announce(context, ended);
  if ('refusal' in ended.answer) throw ended.answer.refusal;
  return { ...ended.answer, replayed: ended.replayed };
}

/**
 * Runs a hot command: one SQL function that is the whole transaction, idempotency row, audit row and messages included
 * (architecture rule 13: half again as fast as the same statements one by one).
 * @param effects which rows changed and how many messages were left, read from the row the function returned.
 */
export async function runHotCommand<Row>(
  context: Context,
  call: Pick<CommandCall, 'operation'>,
  query: QuerySqlToken<z.ZodType<Row>>,
  effects: (row: Row) => CommandEffects,
): Promise<Row> {
  step(`${call.operation}:before`);
  const row = (await keepConnection(context.pool, (connection) => connection.one(query)).catch((error: unknown) => {
    throw translateDatabaseError(error);
  })) as Row;
  step(`${call.operation}:committed`);
  announce(context, effects(row));
  return row;
}

export interface CommandEffects {
  changed: string[];
  messages: number;
}

function announce(context: Context, effects: CommandEffects): void {
  if (effects.changed.length > 0) context.rowEvents.changed(...effects.changed);
  if (effects.messages > 0) context.delivery.messagesCommitted();
}

/** Deleted in one statement, which takes some milliseconds. */
const FORGOTTEN_AT_ONCE = 1_000;

/**
 * Deletes answers whose 24 hours are over (decisions §1), one-time secrets among them; leaves a row alone that a call is
 * just taking over.
 * @returns whether there may be more.
 */
export async function forgetOldAnswers(pool: DatabasePool): Promise<boolean> {
  const { rowCount } = await pool.query(sql.type(Nothing)`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < now() - interval '24 hours'
      order by created_at limit ${FORGOTTEN_AT_ONCE} for update skip locked))`);
  return rowCount === FORGOTTEN_AT_ONCE;
}

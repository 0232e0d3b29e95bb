import type { QuerySqlToken } from 'slonik';
import { z } from 'zod';
import { actorName, agentPart, type Caller } from './caller.ts';
import type { Context } from '../context/context.ts';
import { translateDatabaseError } from '../database/errors.ts';
import { keepConnection } from '../database/keep-connection.ts';
import {
  sql,
  type CommonQueryMethods,
  type DatabasePool,
  type DatabaseTransactionConnection,
} from '../database/pool.ts';
import { step } from './fault-points.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import type { JsonValue } from '../json/value.ts';

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
  wake(workflowId: string): Promise<void>;
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
  step(`${call.operation}:before`);
  const ended = await inTransaction(context, async (connection) => {
    const stored = await takeKey(context, call, connection);
    if (stored !== null) return { answer: stored as Answer<Body>, replayed: true, changed: [], messages: 0 };
    const { unit, effects } = openUnit(call, connection);
    const answer = await work(unit);
    if ('refusal' in answer) await forgetKey(call, connection);
    else await keepAnswer(context, call, connection, answer, options);
    step(`${call.operation}:before-commit`);
    return { answer, replayed: false, ...effects() };
  });
  step(`${call.operation}:committed`);
  announce(context, ended);
  if ('refusal' in ended.answer) throw ended.answer.refusal;
  return { ...ended.answer, replayed: ended.replayed };
}

/** A command whose answer is made by an outside effect. */
export interface WaitingCommand<Body> {
  /** Writes the row of what begins, in the transaction that reserves the key. */
  begin(unit: Unit): Promise<void>;
  /** Waits for the effect, outside of every transaction. @throws CarnetError TEMPORARILY_UNAVAILABLE when nobody does it. */
  wait(id: string): Promise<void>;
  /** What came of it, read from the row; kept under the key. @throws CarnetError where it was refused for good. */
  answer(unit: Unit, id: string): Promise<Answer<Body>>;
}

/** How long a second call with the same key is told to wait (decisions §1). */
const RESERVED_SECONDS = 30;
const ReservedRow = z.object({ id: z.string().nullable() });

/**
 * Runs a command that waits on an outside effect (decisions §1): one transaction reserves the Idempotency-Key together with `id`, which
 * the effect is known by; then the caller waits; a second transaction keeps the answer. After a 503 or a crash the next call with the
 * same key finds the same `id`, so nothing is begun twice; after a refusal the key is free again. The answer is kept encrypted: it
 * opens something.
 * @throws CarnetError as `work` does, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_FLIGHT, TEMPORARILY_UNAVAILABLE.
 */
export async function runWaitingCommand<Body>(
  context: Context,
  call: CommandCall,
  id: string,
  work: WaitingCommand<Body>,
): Promise<Answered<Body>> {
  step(`${call.operation}:before`);
  const begun = await inTransaction(context, async (connection) => {
    const reserved = await reserveKey(call, connection, id);
    if (reserved === null) {
      return {
        id,
        answer: (await takeKey(context, call, connection)) as Answer<Body> | null,
        changed: [],
        messages: 0,
      };
    }
    const { unit, effects } = openUnit(call, connection);
    if (reserved === id) await work.begin(unit);
    step(`${call.operation}:before-reserved`);
    return { id: reserved, answer: null, ...effects() };
  });
  if (begun.answer !== null) return { ...begun.answer, replayed: true };
  step(`${call.operation}:reserved`);
  announce(context, begun);
  try {
    await work.wait(begun.id);
    step(`${call.operation}:waited`);
    const ended = await inTransaction(context, async (connection) => {
      const { unit, effects } = openUnit(call, connection);
      const answer = await work.answer(unit, begun.id);
      await keepAnswer(context, call, connection, answer, { secret: true });
      step(`${call.operation}:before-commit`);
      return { answer, ...effects() };
    });
    step(`${call.operation}:committed`);
    announce(context, ended);
    return { ...ended.answer, replayed: false };
  } catch (error) {
    const refused = error instanceof CarnetError && error.code !== 'TEMPORARILY_UNAVAILABLE';
    await inTransaction(context, (connection) => (refused ? forgetKey(call, connection) : lapseKey(call, connection)));
    throw error;
  }
}

/** @throws CarnetError for what the database refuses. */
const inTransaction = <T>(
  context: Context,
  work: (connection: DatabaseTransactionConnection) => Promise<T>,
): Promise<T> =>
  keepConnection(context.pool, (pooled) => pooled.transaction(work)).catch((error: unknown) => {
    throw translateDatabaseError(error);
  });

function openUnit(
  call: CommandCall,
  connection: DatabaseTransactionConnection,
): { unit: Unit; effects(): CommandEffects } {
  const changed: string[] = [];
  let messages = 0;
  const unit: Unit = {
    connection,
    changed: (...ids) => void changed.push(...ids),
    audit: async (action, target, detail = {}) => {
      await connection.query(sql.type(Nothing)`
        insert into audit_events (operator_id, actor, action, target, detail, request_id)
        values (${call.caller.operatorId}, ${actorName(call.caller)}, ${action}, ${target}, ${JSON.stringify(detail)}::jsonb, ${call.requestId})`);
    },
    wake: async (workflowId) => {
      messages += 1;
      await connection.query(sql.type(Nothing)`select wake_life(${workflowId})`);
    },
  };
  return { unit, effects: () => ({ changed, messages }) };
}

const sealOf = ({ caller, idempotency }: CommandCall): string =>
  `idempotency:${caller.operatorId}:${agentPart(caller)}:${idempotency?.key ?? ''}`;

/** Takes the key for this transaction, or answers what is kept under it. */
async function takeKey(
  context: Context,
  call: CommandCall,
  connection: CommonQueryMethods,
): Promise<Answer<unknown> | null> {
  const { caller, idempotency } = call;
  if (idempotency === null) return null;
  const { status, answer, location, encrypted } = await connection.one(sql.type(StoredAnswer)`
    select status, answer, location, encrypted
    from take_idempotency_key(${caller.operatorId}, ${agentPart(caller)}, ${idempotency.key}, ${sql.binary(idempotency.fingerprint)})`);
  if (status === null || answer === null) return null;
  const text = encrypted === true ? context.encryption.open(answer, sealOf(call)) : answer;
  return { status, body: JSON.parse(text), ...(location !== null && { location }) } as Answer<unknown>;
}

/** The id that the key stands for, `id` where it is new; null where an answer is kept. */
async function reserveKey(
  { caller, idempotency }: CommandCall,
  connection: CommonQueryMethods,
  id: string,
): Promise<string | null> {
  if (idempotency === null) return id;
  const { key, fingerprint } = idempotency;
  const row = await connection.one(sql.type(ReservedRow)`
    select reserve_answer(${caller.operatorId}, ${agentPart(caller)}, ${key}, ${sql.binary(fingerprint)}, ${id}, ${RESERVED_SECONDS}) as id`);
  return row.id;
}

async function keepAnswer<Body>(
  { encryption }: Context,
  call: CommandCall,
  connection: CommonQueryMethods,
  { status, body, location }: Answer<Body>,
  { secret = false }: CommandOptions,
): Promise<void> {
  const { caller, idempotency } = call;
  if (idempotency === null) return;
  const text = JSON.stringify(body);
  await connection.query(sql.type(Nothing)`
    update idempotency_keys
    set status = ${status}, answer = ${secret ? encryption.seal(text, sealOf(call)) : text}, location = ${location ?? null}, encrypted = ${secret}
    where operator_id = ${caller.operatorId} and agent_id = ${agentPart(caller)} and key = ${idempotency.key}`);
}

/** Of a command that was answered under another status than it was kept with, once its outcome was known; its answer is replayed under it. */
export const keepStatus = (
  context: Context,
  { caller, idempotency }: CommandCall,
  status: Answer<unknown>['status'],
): Promise<void> =>
  inTransaction(context, async (connection) => {
    if (idempotency === null) return;
    await connection.query(sql.type(Nothing)`
      update idempotency_keys set status = ${status}
      where operator_id = ${caller.operatorId} and agent_id = ${agentPart(caller)} and key = ${idempotency.key}`);
  });

/** Frees the key; an answer that a rival keeps under it since it took the reservation over stays. */
async function forgetKey({ caller, idempotency }: CommandCall, connection: CommonQueryMethods): Promise<void> {
  if (idempotency === null) return;
  await connection.query(sql.type(Nothing)`
    delete from idempotency_keys
    where operator_id = ${caller.operatorId} and agent_id = ${agentPart(caller)} and key = ${idempotency.key} and status is null`);
}

async function lapseKey({ caller, idempotency }: CommandCall, connection: CommonQueryMethods): Promise<void> {
  if (idempotency === null) return;
  await connection.query(sql.type(Nothing)`
    select lapse_reservation(${caller.operatorId}, ${agentPart(caller)}, ${idempotency.key})`);
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

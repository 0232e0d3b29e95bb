import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { sql, type CommonQueryMethods, type DatabasePool } from '../database/pool.ts';
import { CarnetError, invalid } from '../errors/carnet-error.ts';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import { agentPart, credentialName } from './caller.ts';
import type { Answer, CommandCall, Idempotency } from './command.ts';
import { inTransaction } from './unit.ts';

/*
 * Idempotency-Key: a key names one request of an operator, or of an agent of theirs, for 24 hours. The first call with it keeps its answer
 * under the key, in the transaction of its command; a repetition is answered from there. A hot command does the same in SQL. Agents have keys of
 * their own, or an agent's key could replay an administrator's secret.
 */

/** 1 to 255 printable ASCII characters. */
const KEY = /^[\x20-\x7e]{1,255}$/;
/** How long a second call with the key of a waiting command is refused with IDEMPOTENCY_IN_FLIGHT, seconds. */
const RESERVED_SECONDS = 30;

const StoredAnswer = z.object({
  status: z.number().nullable(),
  answer: z.string().nullable(),
  location: z.string().nullable(),
  encrypted: z.boolean().nullable(),
});
const ReservedRow = z.object({ id: z.string().nullable() });
const Nothing = z.object({});

/**
 * A key with what it stands for: SHA-256 over method, path and JCS of the body.
 * @throws CarnetError VALIDATION_ERROR for a key that is not well formed
 */
export function idempotencyOf(key: string, request: { method: string; path: string; body: JsonValue }): Idempotency {
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
 * For a request that is refused before its command took the key.
 * @throws CarnetError IDEMPOTENCY_KEY_REUSED where the key stands for another request
 */
export async function assertKeyNotReused(
  pool: DatabasePool,
  { caller, idempotency: { key, fingerprint } }: Pick<CommandCall, 'caller'> & { idempotency: Idempotency },
): Promise<void> {
  const reused = await pool.exists(sql.type(Nothing)`
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

interface SecretAnswer<Body> {
  /** The credential that sent the request. */
  by: string;
  body: Body;
}

/** Names what a secret answer is encrypted for: it opens under this key of this caller alone. */
const encryptionContextOf = ({ caller, idempotency }: CommandCall): string =>
  `idempotency:${caller.operatorId}:${agentPart(caller)}:${idempotency?.key ?? ''}`;

/** Takes the key for this transaction, or returns the answer that is kept under it. */
export async function takeKey<Body>(
  context: Context,
  call: CommandCall,
  connection: CommonQueryMethods,
): Promise<Answer<Body> | null> {
  const { caller, idempotency } = call;
  if (idempotency === null) return null;
  const { status, answer, location, encrypted } = await connection.one(sql.type(StoredAnswer)`
    select status, answer, location, encrypted
    from take_idempotency_key(${caller.operatorId}, ${agentPart(caller)}, ${idempotency.key}, ${sql.binary(idempotency.fingerprint)})`);
  if (status === null || answer === null) return null;
  const body = encrypted === true ? decryptSecret<Body>(context, call, answer) : (JSON.parse(answer) as Body);
  return { status: status as Answer<Body>['status'], body, ...(location !== null && { location }) };
}

/** A one-time secret goes to the credential that requested it, never to another of the operator that sends the same request. */
function decryptSecret<Body>({ encryption }: Context, call: CommandCall, sealed: string): Body {
  const { by, body } = JSON.parse(encryption.decrypt(sealed, encryptionContextOf(call))) as SecretAnswer<Body>;
  if (by !== credentialName(call.caller)) {
    throw new CarnetError(
      'IDEMPOTENCY_KEY_REUSED',
      'The answer of this Idempotency-Key holds a secret for the credential that sent the request; use a new key.',
    );
  }
  return body;
}

/** The id that the key stands for, `id` where it is new; null where an answer is kept. */
export async function reserveKey(
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

/** @param secret the answer holds a one-time secret, and is kept encrypted */
export async function keepAnswer<Body>(
  { encryption }: Context,
  call: CommandCall,
  {
    connection,
    answer: { status, body, location },
    secret,
  }: { connection: CommonQueryMethods; answer: Answer<Body>; secret: boolean },
): Promise<void> {
  const { caller, idempotency } = call;
  if (idempotency === null) return;
  const by = credentialName(caller);
  const kept = secret
    ? encryption.encrypt(JSON.stringify({ by, body } satisfies SecretAnswer<Body>), encryptionContextOf(call))
    : JSON.stringify(body);
  await connection.query(sql.type(Nothing)`
    update idempotency_keys
    set status = ${status}, answer = ${kept}, location = ${location ?? null}, encrypted = ${secret}
    where operator_id = ${caller.operatorId} and agent_id = ${agentPart(caller)} and key = ${idempotency.key}`);
}

/** For a command that was answered under another status than it was kept with, once its outcome was known: it is replayed under this one. */
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
export async function forgetKey({ caller, idempotency }: CommandCall, connection: CommonQueryMethods): Promise<void> {
  if (idempotency === null) return;
  await connection.query(sql.type(Nothing)`
    delete from idempotency_keys
    where operator_id = ${caller.operatorId} and agent_id = ${agentPart(caller)} and key = ${idempotency.key} and status is null`);
}

/** Ends a reservation and keeps its id, for the next call with the same key. */
export async function lapseKey({ caller, idempotency }: CommandCall, connection: CommonQueryMethods): Promise<void> {
  if (idempotency === null) return;
  await connection.query(sql.type(Nothing)`
    select lapse_reservation(${caller.operatorId}, ${agentPart(caller)}, ${idempotency.key})`);
}

/** Deleted in one statement, which takes some milliseconds. */
const FORGOTTEN_AT_ONCE = 1_000;

/**
 * Deletes answers whose 24 hours are over, one-time secrets among them; leaves a row alone that a call is just taking over.
 * @returns whether there may be more.
 */
export async function forgetOldAnswers(pool: DatabasePool): Promise<boolean> {
  const { rowCount } = await pool.query(sql.type(Nothing)`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < now() - interval '24 hours'
      order by created_at limit ${FORGOTTEN_AT_ONCE} for update skip locked))`);
  return rowCount === FORGOTTEN_AT_ONCE;
}

import { z } from 'zod';
import { textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { DashboardSessionSchema } from './schema.ts';

const Nothing = z.object({});

/** Who requests a code or enters one: MACs and hashes, as rows have them. */
export interface Asker {
  address: string;
  network: string;
  /** The values of the cookies that name requests for a code. */
  browsers: readonly string[];
}

/**
 * Keeps the MAC of a new code under the first of `browsers`.
 * @returns seconds to wait where it is too early for another code; 0: the code counts.
 */
export const takeSignInTurn = (
  connection: CommonQueryMethods,
  { address, network, browsers }: Asker,
  { code, seconds, email, requestId }: { code: string; seconds: number; email: string; requestId: string },
): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ wait: z.number() }))`
    select store_sign_in_code(${address}, ${network}, ${textArray(browsers)}, ${code}, ${seconds}, ${email}, ${requestId}) as wait`);

const CodeRow = z.object({
  id: z.number(),
  code: z.string().nullable(),
  own: z.boolean(),
  tries: z.number(),
  live: z.boolean(),
  wait: z.number().nullable(),
});
/** The code that a try is judged by: see the type sign_in_code. */
export type SignInCode = z.infer<typeof CodeRow>;

/** Locked until the transaction ends, so that simultaneous guesses are judged in turn; null where none was sent. */
export const lockSignInCode = (
  connection: CommonQueryMethods,
  { address, network, browsers }: Asker,
): Promise<SignInCode | null> =>
  connection.maybeOne(sql.type(CodeRow)`
    select id, code, own, tries, live, wait from lock_sign_in_code(${address}, ${network}, ${textArray(browsers)})
    where id is not null`);

export async function countWrongTry(
  connection: CommonQueryMethods,
  { id, own }: SignInCode,
  { email, requestId }: { email: string; requestId: string },
): Promise<void> {
  await connection.query(sql.type(Nothing)`select count_wrong_try(${id}, ${own}, ${email}, ${requestId})`);
}

/** Forgets the code, and remembers the browser that requested and entered it. */
export async function useUpCode(
  connection: CommonQueryMethods,
  { id }: SignInCode,
  browsers: readonly string[],
): Promise<void> {
  await connection.query(sql.type(Nothing)`select use_up_code(${id}, ${textArray(browsers)})`);
}

const StoredSession = z.object({ id: z.string(), created_at: z.string(), expires_at: z.string() });

/** @returns null where the member was deleted meanwhile. */
export const insertSession = (
  connection: CommonQueryMethods,
  session: { id: string; tokenHash: Buffer; memberId: string; seconds: number },
): Promise<z.infer<typeof StoredSession> | null> =>
  connection.maybeOne(sql.type(StoredSession)`
    insert into dashboard_sessions (id, token_hash, member_id, created_at, expires_at)
    select ${session.id}, ${sql.binary(session.tokenHash)}, m.id, clock.now, clock.now + make_interval(secs => ${session.seconds})
    from memberships m, (select clock_timestamp() as now) clock where m.id = ${session.memberId} for key share of m
    returning id, created_at, expires_at`);

/**
 * A session that takes the place of another, and ends when that would have ended. The other is locked: of two that would take its place one does.
 * @returns null where the other is over, or the member was deleted meanwhile.
 */
export const insertSessionInPlaceOf = (
  connection: CommonQueryMethods,
  session: { id: string; tokenHash: Buffer; memberId: string; inPlaceOf: string },
): Promise<z.infer<typeof StoredSession> | null> =>
  connection.maybeOne(sql.type(StoredSession)`
    with earlier as (
      select expires_at from dashboard_sessions where id = ${session.inPlaceOf} and expires_at > clock_timestamp() for update
    )
    insert into dashboard_sessions (id, token_hash, member_id, created_at, expires_at)
    select ${session.id}, ${sql.binary(session.tokenHash)}, m.id, clock_timestamp(), earlier.expires_at
    from memberships m, earlier where m.id = ${session.memberId} for key share of m
    returning id, created_at, expires_at`);

const OwnSession = z.object({ ...StoredSession.shape, current: z.boolean() });

/** The sessions of a member that have not ended, the newest first. @param current the one that asks */
export const listSessions = (
  connection: CommonQueryMethods,
  { memberId, current, limit, offset }: { memberId: string; current: string; limit: number; offset: number },
): Promise<readonly z.infer<typeof OwnSession>[]> =>
  connection.any(sql.type(OwnSession)`
    select id, created_at, expires_at, id = ${current} as current from dashboard_sessions
    where member_id = ${memberId} and expires_at > clock_timestamp()
    order by created_at desc, id desc limit ${limit} offset ${offset}`);

export const countSessions = (connection: CommonQueryMethods, memberId: string): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from dashboard_sessions where member_id = ${memberId} and expires_at > clock_timestamp()`);

/** @returns whether the member had this session */
export const deleteSessionOf = async (
  connection: CommonQueryMethods,
  { memberId, id }: { memberId: string; id: string },
): Promise<boolean> =>
  (await connection.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    delete from dashboard_sessions where id = ${id} and member_id = ${memberId} and expires_at > clock_timestamp()
    returning id`)) !== null;

/** Deletes all sessions of the member but this one. @returns their ids */
export const deleteOtherSessions = (
  connection: CommonQueryMethods,
  { memberId, current }: { memberId: string; current: string },
): Promise<readonly string[]> =>
  connection.anyFirst(sql.type(z.object({ id: z.string() }))`
    delete from dashboard_sessions where member_id = ${memberId} and id <> ${current} and expires_at > clock_timestamp()
    returning id`);

export const findSession = (
  connection: CommonQueryMethods,
  id: string,
): Promise<z.infer<typeof StoredSession> | null> =>
  connection.maybeOne(
    sql.type(StoredSession)`select id, created_at, expires_at from dashboard_sessions where id = ${id}`,
  );

export async function deleteSession(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(Nothing)`delete from dashboard_sessions where id = ${id}`);
}

/** Ends the sessions of these tokens, each in the audit trail of its operator. @returns their ids */
export const endSessions = (
  connection: CommonQueryMethods,
  tokenHashes: readonly Buffer[],
  requestId: string,
): Promise<readonly string[]> =>
  connection.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from end_sessions(${sql.array(tokenHashes, 'bytea')}, ${requestId}) as ended (id)`);

/** The session of a token with its member, as authentication needs it. */
const SignedInRow = z.object({
  id: z.string(),
  member_id: z.string(),
  operator_id: z.string(),
  role: DashboardSessionSchema.shape.member.shape.role,
  suspended: z.boolean(),
  valid_for_ms: z.number(),
});
type SignedIn = z.infer<typeof SignedInRow>;

export const findSignedIn = (connection: CommonQueryMethods, tokenHash: Buffer): Promise<SignedIn | null> =>
  connection.maybeOne(sql.type(SignedInRow)`
    select s.id, s.member_id, m.operator_id, m.role, m.suspended,
      (extract(epoch from s.expires_at - clock_timestamp()) * 1000)::float8 as valid_for_ms
    from dashboard_sessions s join memberships m on m.id = s.member_id
    where s.token_hash = ${sql.binary(tokenHash)} and s.expires_at > clock_timestamp()`);

import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { DashboardSessionSchema } from './schema.ts';

const Nothing = z.object({});

/** @returns seconds to wait where it is too early for another code; 0: `code` (its MAC) is now the one of the address. */
export const takeSignInTurn = (
  connection: CommonQueryMethods,
  { address, code, seconds }: { address: string; code: string; seconds: number },
): Promise<number> =>
  connection.oneFirst(
    sql.type(z.object({ wait: z.number() }))`select store_sign_in_code(${address}, ${code}, ${seconds}) as wait`,
  );

const CodeRow = z.object({ code: z.string().nullable(), tries: z.number(), live: z.boolean() });

/** The last code of an address, locked until the transaction ends, so that simultaneous guesses are judged in turn. */
export const lockSignInCode = (
  connection: CommonQueryMethods,
  address: string,
): Promise<z.infer<typeof CodeRow> | null> =>
  connection.maybeOne(sql.type(CodeRow)`
    select code, tries, expires_at > clock_timestamp() as live from sign_in_codes
    where address = ${address} for no key update`);

export async function countWrongTry(connection: CommonQueryMethods, address: string): Promise<void> {
  await connection.query(sql.type(Nothing)`update sign_in_codes set tries = tries + 1 where address = ${address}`);
}

/** Forgets the code; the row stays, since it counts the codes that were sent. */
export async function useUpCode(connection: CommonQueryMethods, address: string): Promise<void> {
  await connection.query(sql.type(Nothing)`update sign_in_codes set code = null where address = ${address}`);
}

const StoredSession = z.object({ id: z.string(), created_at: z.string(), expires_at: z.string() });

/** @returns null where the member was deleted meanwhile. */
export const insertSession = (
  connection: CommonQueryMethods,
  session: { id: string; tokenHash: Buffer; memberId: string; seconds: number },
): Promise<z.infer<typeof StoredSession> | null> =>
  connection.maybeOne(sql.type(StoredSession)`
    insert into dashboard_sessions (id, token_hash, member_id, expires_at)
    select ${session.id}, ${sql.binary(session.tokenHash)}, m.id, clock_timestamp() + make_interval(secs => ${session.seconds})
    from memberships m where m.id = ${session.memberId} for key share
    returning id, created_at, expires_at`);

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

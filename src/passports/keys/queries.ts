import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';

const SigningKeyRow = z.object({
  kid: z.string(),
  x: z.string(),
  private_key: z.string(),
  status: z.enum(['next', 'active', 'retired', 'withdrawn']),
  counts: z.boolean(),
});
/** `counts`: tokens of this key are accepted, and the JWKS has it. */
export type SigningKeyRow = z.infer<typeof SigningKeyRow>;

/** A key pair whose private part is encrypted. */
export interface NewSigningKey {
  kid: string;
  x: string;
  privateKey: string;
}

const Nothing = z.object({});

/** Every key that ever existed; the schedule makes one in 90 days. */
export const listSigningKeys = (connection: CommonQueryMethods): Promise<readonly SigningKeyRow[]> =>
  connection.any(sql.type(SigningKeyRow)`
    select kid, x, private_key, status, is_signing_key_accepted(k) as counts from signing_keys k order by created_at, kid`);

/** Does nothing where there are keys already: of several processes that start at once one makes them. */
export async function insertFirstKeys(
  connection: CommonQueryMethods,
  active: NewSigningKey,
  next: NewSigningKey,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    select make_first_signing_keys(
      ${active.kid}, ${active.x}, ${active.privateKey}, ${next.kid}, ${next.x}, ${next.privateKey})`);
}

/** Replaces only what was read: two processes may encrypt the same key again at once. */
export async function replaceSealed(
  connection: CommonQueryMethods,
  kid: string,
  sealed: { before: string; after: string },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update signing_keys set private_key = ${sealed.after} where kid = ${kid} and private_key = ${sealed.before}`);
}

const RotatedRow = z.object({ stopped: z.string().nullable() });

/** @returns the kid that stopped signing; null where the active key is younger than `olderThanDays`. */
export async function rotate(
  connection: CommonQueryMethods,
  {
    immediate,
    olderThanDays,
    key,
    by,
  }: {
    immediate: boolean;
    olderThanDays: number | null;
    key: NewSigningKey;
    by: { actor: string; requestId: string | null };
  },
): Promise<string | null> {
  const { stopped } = await connection.one(sql.type(RotatedRow)`
    select rotate_signing_keys(${immediate}, make_interval(days => ${olderThanDays}),
      ${key.kid}, ${key.x}, ${key.privateKey}, ${by.actor}, ${by.requestId}) as stopped`);
  return stopped;
}

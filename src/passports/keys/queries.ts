import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
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

/** Does nothing where there are keys already: of several processes that start together one makes them. */
export async function insertFirstKeys(
  connection: CommonQueryMethods,
  active: NewSigningKey,
  next: NewSigningKey,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    select make_first_signing_keys(
      ${active.kid}, ${active.x}, ${active.privateKey}, ${next.kid}, ${next.x}, ${next.privateKey})`);
}

/** Replaces only what was read: two processes may encrypt the same key again in parallel. */
export async function replaceEncrypted(
  connection: CommonQueryMethods,
  kid: string,
  sealed: { before: string; after: string },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update signing_keys set private_key = ${sealed.after} where kid = ${kid} and private_key = ${sealed.before}`);
}

const RotatedRow = z.object({ stopped: z.string().nullable() });

interface Rotation {
  /** Keys to withdraw; null: the active key retires. */
  withdraw: readonly string[] | null;
  /** Only where the active key signs for as long; null: in any case. */
  olderThanDays: number | null;
  /** For the places that become empty: two at most. */
  keys: readonly NewSigningKey[];
  by: { actor: string; requestId: string | null };
}

/** @returns the kid that stopped signing; null where the active key goes on. */
export async function rotate(
  connection: CommonQueryMethods,
  { withdraw, olderThanDays, keys, by }: Rotation,
): Promise<string | null> {
  const { stopped } = await connection.one(sql.type(RotatedRow)`
    select stopped from rotate_signing_keys(
      ${withdraw === null ? null : textArray(withdraw)}, make_interval(days => ${olderThanDays}),
      ${textArray(keys.map(({ kid }) => kid))}, ${textArray(keys.map(({ x }) => x))},
      ${textArray(keys.map(({ privateKey }) => privateKey))}, ${by.actor}, ${by.requestId})`);
  return stopped;
}

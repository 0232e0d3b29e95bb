import type { Tier } from '../../fields/tiers.ts';
import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { textArray } from '../../database/columns.ts';
import { thumbprintOf } from '../../fields/thumbprint.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { PublicJwkSchema, type PublicJwk } from '../agents/public-jwk.ts';
import { OperatorSchema, type Operator, type OperatorFilters, type RegisterOperator } from './schema.ts';

const columns = sql.fragment`
  id, name, email, status, tier, commission_bps, payout_account, low_balance_cents, passports_may_invoke,
  (select coalesce(jsonb_agg(k.public_jwk order by k.kid), '[]') from operator_public_keys k where k.operator_id = operators.id) as public_jwks,
  created_at, updated_at`;

export const findOperator = (connection: CommonQueryMethods, id: string): Promise<Operator | null> =>
  connection.maybeOne(sql.type(OperatorSchema)`select ${columns} from operators where id = ${id}`);

/** The names under which others know these operators, by id. */
export async function findOperatorNames(
  connection: CommonQueryMethods,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.any(sql.type(z.object({ operator_id: z.string(), name: z.string() }))`
    select operator_id, name from operator_names where operator_id = any(${textArray([...new Set(ids)])})`);
  return new Map(rows.map(({ operator_id: id, name }) => [id, name]));
}

/** The greatest character: what begins with a text is less than the text and this. */
const LAST = '\u{10FFFF}';

/** Every operator, the newest first; `before` is the last id of the page before, null on the first page. */
export const listOperators = (
  connection: CommonQueryMethods,
  { name, email, status, before, limit }: OperatorFilters & { before: string | null; limit: number },
): Promise<readonly Operator[]> =>
  connection.any(sql.type(OperatorSchema)`
    select ${columns} from operators where true
      ${before === null ? sql.fragment`` : sql.fragment`and id < ${before}`}
      ${status === undefined ? sql.fragment`` : sql.fragment`and status = ${status}`}
      ${email === undefined ? sql.fragment`` : sql.fragment`and lower(email) = lower(${email})`}
      ${name === undefined ? sql.fragment`` : sql.fragment`and lower(name) ~>=~ lower(${name}) and lower(name) ~<~ (lower(${name}) || ${LAST})`}
    order by id desc limit ${limit}`);

/** As `findOperator`, with the row locked until the transaction ends. */
export const lockOperator = (connection: CommonQueryMethods, id: string): Promise<Operator | null> =>
  connection.maybeOne(sql.type(OperatorSchema)`select ${columns} from operators where id = ${id} for no key update`);

export const findOperatorByEmail = (connection: CommonQueryMethods, email: string): Promise<Operator | null> =>
  connection.maybeOne(
    sql.type(OperatorSchema)`select ${columns} from operators where email = ${email} order by id limit 1`,
  );

export async function insertOperator(
  connection: CommonQueryMethods,
  operator: RegisterOperator & { id: OperatorId; tier: Tier },
): Promise<Operator> {
  return connection.one(sql.type(OperatorSchema)`
    insert into operators (id, name, email, tier)
    values (${operator.id}, ${operator.name}, ${operator.email}, ${operator.tier})
    returning ${columns}`);
}

export const saveOperator = (connection: CommonQueryMethods, operator: Operator): Promise<Operator> =>
  connection.one(sql.type(OperatorSchema)`
    update operators
    set name = ${operator.name}, email = ${operator.email},
        email_registered = email_registered and lower(email) = lower(${operator.email}), status = ${operator.status}, tier = ${operator.tier},
        commission_bps = ${operator.commission_bps}, payout_account = ${operator.payout_account},
        low_balance_cents = ${operator.low_balance_cents}, passports_may_invoke = ${operator.passports_may_invoke}, updated_at = clock_timestamp()
    where id = ${operator.id}
    returning ${columns}`);

/**
 * Whether an address, in lower case, is the registered one of the operator: one that was changed counts after a code that was sent to it
 * was entered.
 */
export const isRegisteredEmail = (connection: CommonQueryMethods, id: string, address: string): Promise<boolean> =>
  connection.exists(sql.type(z.object({}))`
    select 1 from operators where id = ${id} and lower(email) = ${address} and email_registered`);

/** Somebody has proven that this address, in lower case, is theirs: where it is the operator's, it is registered. */
export async function registerEmail(connection: CommonQueryMethods, id: string, address: string): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    update operators set email_registered = true where id = ${id} and lower(email) = ${address} and not email_registered`);
}

/** Whether the operator is suspended; null: there is no such operator. */
export const isSuspended = (connection: CommonQueryMethods, id: string): Promise<boolean | null> =>
  connection.maybeOneFirst(
    sql.type(z.object({ suspended: z.boolean() }))`
      select status = 'suspended' as suspended from operators where id = ${id}`,
  );

/** From now on the operator has these keys to co-sign claims with, and no others. */
export async function replaceKeys(
  connection: CommonQueryMethods,
  operatorId: string,
  jwks: readonly PublicJwk[],
): Promise<void> {
  const byKid = new Map(jwks.map((jwk) => [thumbprintOf(jwk.x), JSON.stringify(jwk)]));
  const kids = [...byKid.keys()];
  await connection.query(sql.type(z.object({}))`
    delete from operator_public_keys where operator_id = ${operatorId} and kid <> all(${textArray(kids)})`);
  await connection.query(sql.type(z.object({}))`
    insert into operator_public_keys (operator_id, kid, public_jwk)
    select ${operatorId}, kid, jwk::jsonb
    from unnest(${textArray(kids)}, ${textArray([...byKid.values()])}) as given (kid, jwk)
    on conflict (operator_id, kid) do update set public_jwk = excluded.public_jwk`);
}

const KeyRow = z.object({ public_jwk: PublicJwkSchema });

/** The key of this RFC 7638 thumbprint, if an operator that is not suspended has it. */
export const findKeyOfOperators = async (
  connection: CommonQueryMethods,
  thumbprint: string,
): Promise<PublicJwk | null> =>
  connection.maybeOneFirst(sql.type(KeyRow)`
    select k.public_jwk from operator_public_keys k join operators o on o.id = k.operator_id
    where k.kid = ${thumbprint} and o.status = 'active' limit 1`);

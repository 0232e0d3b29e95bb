import type { Tier } from '../../fields/tiers.ts';
import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { OperatorSchema, type Operator, type RegisterOperator } from './schema.ts';

const columns = sql.fragment`id, name, email, status, tier, commission_bps, payout_account, low_balance_cents, created_at, updated_at`;

export const findOperator = (connection: CommonQueryMethods, id: string): Promise<Operator | null> =>
  connection.maybeOne(sql.type(OperatorSchema)`select ${columns} from operators where id = ${id}`);

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
    set name = ${operator.name}, email = ${operator.email}, status = ${operator.status}, tier = ${operator.tier},
        commission_bps = ${operator.commission_bps}, payout_account = ${operator.payout_account},
        low_balance_cents = ${operator.low_balance_cents}, updated_at = clock_timestamp()
    where id = ${operator.id}
    returning ${columns}`);

/** Whether the operator is suspended; null: there is no such operator. */
export const isSuspended = (connection: CommonQueryMethods, id: string): Promise<boolean | null> =>
  connection.maybeOneFirst(
    sql.type(z.object({ suspended: z.boolean() }))`
      select status = 'suspended' as suspended from operators where id = ${id}`,
  );

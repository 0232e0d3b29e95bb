import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';

const Nothing = z.object({});

/** Whether the holder of an address, in lower case, has ended what this operator sends there, and has entered no code since. */
export const isUnsubscribed = (connection: CommonQueryMethods, operatorId: string, address: string): Promise<boolean> =>
  connection.exists(sql.type(Nothing)`
    select 1 from unsubscribed_addresses where operator_id = ${operatorId} and address = ${address}`);

export async function saveUnsubscribed(
  connection: CommonQueryMethods,
  operatorId: string,
  address: string,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    insert into unsubscribed_addresses (operator_id, address) values (${operatorId}, ${address}) on conflict do nothing`);
}

export async function deleteUnsubscribed(
  connection: CommonQueryMethods,
  operatorId: string,
  address: string,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    delete from unsubscribed_addresses where operator_id = ${operatorId} and address = ${address}`);
}

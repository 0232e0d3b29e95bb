import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { ErasureSchema, type Erasure } from './schema.ts';

const Next = z.object({ operator_id: z.string() });

/** Notes that everything is to be purged that the operator keeps until now. */
export const beginErasure = (connection: CommonQueryMethods, operatorId: string): Promise<Erasure> =>
  connection.one(sql.type(ErasureSchema)`select kept_from, purged_at from begin_erasure(${operatorId})`);

/** Notes that nothing is left of what was kept until `keptFrom`. */
export const endErasure = (connection: CommonQueryMethods, operatorId: string, keptFrom: string): Promise<unknown> =>
  connection.query(sql.type(z.object({}))`select end_erasure(${operatorId}, ${keptFrom})`);

/** Null: the operator has never requested one. */
export const findErasure = (connection: CommonQueryMethods, operatorId: string): Promise<Erasure | null> =>
  connection.maybeOne(
    sql.type(ErasureSchema)`select kept_from, purged_at from operator_erasures where operator_id = ${operatorId}`,
  );

/** The first operator from this one on whose erasure is under way. */
export const operatorToErase = (connection: CommonQueryMethods, from: string): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(Next)`
    select operator_id from operator_erasures where purged_at is null and operator_id >= ${from} order by operator_id limit 1`);

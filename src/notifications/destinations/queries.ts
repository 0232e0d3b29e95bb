import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { DestinationSchema } from './schema.ts';

const DestinationRow = DestinationSchema.omit({ verified: true }).extend({ verified_at: z.string().nullable() });
/** A destination as it is stored; `presentDestination` makes of it what is answered. */
export type DestinationRow = z.infer<typeof DestinationRow>;

/** Those of the operator among these ids, in no order. */
export const listDestinationsById = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  ids: readonly string[],
): Promise<readonly DestinationRow[]> =>
  connection.any(sql.type(DestinationRow)`
    select id, operator_id, channel_type, destination, verified_at, created_at from destinations
    where operator_id = ${operatorId} and id = any(${textArray(ids)})`);

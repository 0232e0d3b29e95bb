import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { LifeSchema } from './schema.ts';

const LifeRow = LifeSchema.omit({ id: true, kind: true, run: true });

/** Reads the rows of a life together; of one without a row nothing is due. */
export const findLife = (connection: CommonQueryMethods, life: string): Promise<z.infer<typeof LifeRow>> =>
  connection.one(sql.type(LifeRow)`
    select min(owner) as turn_of, count(*) filter (where epoch is null and (ready or attempts > 0))::int as messages,
      coalesce(bool_or(ready), false) as is_ready, iso_time(min(due_at) filter (where due_at < 'infinity')) as due_at,
      iso_time(max(created_at) filter (where epoch is not null)) as seen_at, coalesce(max(attempts), 0)::int as attempts,
      iso_time(min(refused_at)) as refused_at, max(failure) as failure
    from lives where life = ${life}`);

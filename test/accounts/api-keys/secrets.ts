import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { database } from '../../support/service.ts';

/** The tables with a row that, as text, contains the secret: as it is, in hex or in base64. */
export async function tablesHolding(secret: string): Promise<string[]> {
  const pool = await database();
  const bytes = Buffer.from(secret);
  const spellings = [secret, bytes.toString('hex'), bytes.toString('base64url').slice(0, -2)];
  const tables = await pool.anyFirst(sql.type(z.object({ table_name: z.string() }))`
    select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
    order by table_name`);
  const held = await Promise.all(
    tables.map((table) =>
      pool.oneFirst(sql.type(z.object({ held: z.boolean() }))`
        select exists (
          select from ${sql.identifier([table])} as row
          where exists (
            select from unnest(${sql.array(spellings, 'text')}) as spelling where strpos(row::text, spelling) > 0)
        ) as held`),
    ),
  );
  return tables.filter((_table, at) => held[at]);
}

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';

interface StoredSchema {
  hash: Buffer;
  text: string;
}

/** A schema as it is stored: its JSON with members in the publisher's order, for readers, under the SHA-256 of that text. */
export function storedSchema(schema: Record<string, unknown>): StoredSchema {
  const text = JSON.stringify(schema);
  return { hash: createHash('sha256').update(text).digest(), text };
}

/** Stores each text once, in the order of the hashes, so that two publishers never wait for each other. */
export async function keepSchemas(connection: CommonQueryMethods, schemas: readonly StoredSchema[]): Promise<void> {
  for (const { hash, text } of schemas.toSorted((a, b) => a.hash.compare(b.hash))) {
    await connection.query(sql.type(z.object({}))`
      insert into skill_schemas (hash, schema) values (${sql.binary(hash)}, ${text}) on conflict (hash) do nothing`);
  }
}

import assert from 'node:assert/strict';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { isShaped, payloadSchemas } from '../../src/claims/schema/payloads.ts';
import { sql, type CommonQueryMethods } from '../../src/database/pool.ts';
import { digestOf } from './support.ts';

const Row = z.object({
  digest: z.string(),
  envelope: z.string(),
  schema: z.string(),
  issuer: z.string(),
  is_erased: z.boolean(),
});

/**
 * Asserts what holds for every claim of a database, no matter who issued it; those of the service are canonical and complete as well.
 * @returns how many there are
 */
export async function assertEveryClaim(connection: CommonQueryMethods): Promise<number> {
  const rows = await connection.any(sql.type(Row)`
    select digest, envelope, schema, issuer, erased_at is not null as is_erased from claims`);
  for (const { digest, envelope: text, schema, issuer, is_erased: isErased } of rows) {
    const envelope = JSON.parse(text) as { issuer: string; claim_type: string; payload: unknown };
    if (isErased) {
      assert(!('payload' in envelope), text);
      continue;
    }
    assert.equal(digest, digestOf(envelope), text);
    assert.equal(issuer, envelope.issuer);
    assert.equal(schema, isShaped(envelope.claim_type) ? 'v1' : 'none', text);
    if (!isShaped(envelope.claim_type)) continue;
    const payload = payloadSchemas[envelope.claim_type].parse(envelope.payload);
    if (issuer !== 'op_platform') continue;
    assert.equal(text, canonicalize(envelope));
    assert.deepEqual(payload, envelope.payload, text);
  }
  return rows.length;
}

import assert from 'node:assert/strict';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { isShaped, payloadSchemas } from '../../src/claims/schema/payloads.ts';
import { sql } from '../../src/database/pool.ts';
import { buildInvocation, buildOperator, buildSkill } from '../support/factories.ts';
import { database } from '../support/service.ts';
import { digestOf } from './support.ts';

const Row = z.object({ digest: z.string(), envelope: z.string(), schema: z.string(), issuer: z.string() });

/** What holds for every claim, whoever issued it; those of the service are canonical and complete as well. */
async function assertClaims(): Promise<void> {
  const rows = await (await database()).any(sql.type(Row)`select digest, envelope, schema, issuer from claims`);
  assert.notEqual(rows.length, 0);
  for (const { digest, envelope: text, schema, issuer } of rows) {
    const envelope = JSON.parse(text) as { issuer: string; claim_type: string; payload: unknown };
    assert.equal(digest, digestOf(envelope), text);
    assert.equal(issuer, envelope.issuer);
    assert.equal(schema, isShaped(envelope.claim_type) ? 'v1' : 'none', text);
    if (!isShaped(envelope.claim_type)) continue;
    const payload = payloadSchemas[envelope.claim_type].parse(envelope.payload);
    if (issuer !== 'op_platform') continue;
    assert.equal(text, canonicalize(envelope));
    assert.deepEqual(payload, envelope.payload, text);
  }
}

// A root hook, which runs after the last test of all: it sees the claims of every domain.
after(assertClaims);

describe('every claim', () => {
  it('hashes to its digest and has the shape of its type', async () => {
    const provider = await buildOperator();
    await buildInvocation(provider, (await buildSkill(provider)).id);
    await assertClaims();
  });
});

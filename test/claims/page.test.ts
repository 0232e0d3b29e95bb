import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { CLAIM_TYPES, isShaped } from '../../src/claims/schema/payloads.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { assertStatus } from '../support/service.ts';
import { envelopeOf } from './support.ts';

describe('docs/claim-types.md', () => {
  let page: string;
  let operator: TestOperator;
  before(async () => {
    page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'claim-types.md'), 'utf8');
    operator = await buildOperator();
  });

  it('has an example of every type that is taken as it stands, but for its issuer', async () => {
    const examples = [...page.matchAll(/^### (\w+)\n\n.+\n\n```json\n([^`]+)```$/gm)];
    assert.deepEqual(examples.map(([, type = '']) => type).toSorted(), [...CLAIM_TYPES].toSorted());
    for (const [, type = '', text = ''] of examples) {
      const payload = JSON.parse(text) as Record<string, unknown>;
      assert.equal(payload.type, type);
      const envelope = envelopeOf(operator, { claim_type: type, payload });
      const claim = assertStatus(await operator.post<Claim>('/v1/claims', envelope), 201);
      assert.equal(claim.schema, isShaped(type) ? 'v1' : 'none');
    }
  });

  it('has an envelope that is taken', async () => {
    const [, text = ''] = /<!-- envelope -->\n+```json\n([^`]+)```/.exec(page) ?? [];
    const envelope = { ...(JSON.parse(text) as object), issuer: operator.operatorId };
    assertStatus(await operator.post('/v1/claims', envelope), 201);
  });
});

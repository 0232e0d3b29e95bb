import assert from 'node:assert/strict';
import { buildInvocation, buildOperator, buildSkill } from '../support/factories.ts';
import { database } from '../support/service.ts';
import { assertEveryClaim } from './every-claim.ts';

// The claims of every domain are checked once more after the last test of all, in test/support/global.ts.
describe('every claim', () => {
  it('hashes to its digest and has the shape of its type', async () => {
    const provider = await buildOperator();
    await buildInvocation(provider, (await buildSkill(provider)).id);
    assert.notEqual(await assertEveryClaim(await database()), 0);
  });
});

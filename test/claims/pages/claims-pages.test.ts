import assert from 'node:assert/strict';
import { rungsOf } from '../../../src/claims/pages/inclusion.ts';
import { hashOfLeaf, hashOfPair } from '../../../src/claims/log/merkle.ts';
import { eventually } from '../../support/eventually.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { buildPerson } from '../../support/people.ts';
import { assertStatus } from '../../support/service.ts';
import { browserOf } from '../../support/web-browser.ts';

const claimOf = async (operator: TestOperator, subject: string, payload: object) =>
  assertStatus(
    await operator.post<{ id: string; envelope: object }>('/v1/claims', {
      envelope_version: 1,
      issuer: operator.operatorId,
      subject,
      issued_at: 1_795_262_400,
      claim_type: 'operator_decision',
      claim_version: 1,
      payload,
      receipt: null,
    }),
    201,
  );

const HOSTILE = '<img src=x onerror=alert(1)>';

describe('Pages of claims', () => {
  it('lead from the list to one claim, its proof, and its end', async () => {
    const operator = await buildOperator();
    const browser = browserOf(await buildPerson(operator, 'owner'));
    assert.match((await browser.open('/dashboard/claims')).text, /No claim is recorded yet/);
    const claim = await claimOf(operator, `carnet://thing/1`, { said: HOSTILE });
    const list = await browser.open('/dashboard/claims');
    assert.match(list.text, new RegExp(claim.id));
    assert(!list.html.includes('<img src=x'));
    const page = await eventually('its place in the log', async () => {
      const shown = await browser.open(`/dashboard/claims/${claim.id}`);
      return shown.text.includes('to the root of') ? shown : undefined;
    });
    assert(!page.html.includes('<img src=x'));
    const csv = await browser.open('/dashboard/claims?csv=claims');
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(csv.html, new RegExp(`"${claim.id}"`));
    const verified = await (
      await browser.open('/dashboard/claims/verify')
    ).press('Verify it', {
      fields: { envelope: JSON.stringify(claim.envelope) },
    });
    assert.match(verified.text, /Verdict valid/);
    const refused = await (
      await browser.open('/dashboard/claims/verify')
    ).press('Verify it', { fields: { envelope: '{"a":' } });
    assert.equal(refused.status, 400);
    assert(refused.html.includes('{&quot;a&quot;:'), 'it keeps what was typed');
    const long = `${HOSTILE}${'x'.repeat(2_000)}`;
    const tooLong = await page.press('Revoke the claim', { fields: { reason: long, sure: 'true' } });
    assert.equal(tooLong.status, 400);
    assert.equal(tooLong.formOf('Revoke the claim', { fields: { sure: 'true' } }).values.get('reason'), long);
    assert.equal(tooLong.formOf('Erase the payload', { fields: { sure: 'true' } }).values.get('reason'), '');
    const revoked = await page.press('Revoke the claim', { fields: { reason: HOSTILE, sure: 'true' } });
    assert.deepEqual(revoked.notices.slice(0, 1), ['The claim is revoked.']);
    const erased = await revoked.press('Erase the payload', { fields: { sure: 'true' } });
    assert.match(erased.text, /erased/);
    assert.deepEqual(
      erased.buttons().filter((label) => /Revoke|Erase/.test(label)),
      [],
    );
  });

  it('show others the digest alone, and nobody what is not there', async () => {
    const operator = await buildOperator();
    const claim = await claimOf(operator, 'carnet://thing/secret-subject', {});
    const other = browserOf(await buildPerson(await buildOperator()));
    const page = await other.open(`/dashboard/claims/${claim.id}`);
    assert.match(page.text, /You see that it exists/);
    assert(!page.html.includes('secret-subject'));
    assert.equal((await other.open('/dashboard/claims/pc_0')).status, 404);
  });

  it('show the head of the log and the key to keep', async () => {
    const page = await browserOf(await buildPerson(await buildOperator())).open('/dashboard/log');
    assert.match(page.text, /carnet\.log\/log_\w+\+[0-9a-f]{8}\+/);
  });
});

describe('The drawn proof of inclusion', () => {
  /** The root and the path of an entry, by the definition of the RFC. */
  const treeOf = (leaves: readonly Buffer[], index: number): { root: Buffer; path: Buffer[] } => {
    const [only] = leaves;
    if (leaves.length === 1 && only !== undefined) return { root: only, path: [] };
    let half = 1;
    while (half * 2 < leaves.length) half *= 2;
    const inLeft = index < half;
    const left = treeOf(leaves.slice(0, half), inLeft ? index : 0);
    const right = treeOf(leaves.slice(half), inLeft ? 0 : index - half);
    return {
      root: hashOfPair(left.root, right.root),
      path: inLeft ? [...left.path, right.root] : [...right.path, left.root],
    };
  };

  it('leads to the root from every entry of every small tree', () => {
    for (let size = 1; size <= 17; size += 1) {
      const leaves = Array.from({ length: size }, (_, at) => hashOfLeaf(Buffer.from([at])));
      for (let index = 0; index < size; index += 1) {
        const { root, path } = treeOf(leaves, index);
        const rungs = rungsOf({
          log_index: index,
          tree_size: size,
          leaf_hash: leaves[index]?.toString('hex') ?? '',
          root_hash: root.toString('hex'),
          hashes: path.map((hash) => hash.toString('hex')),
        });
        assert.equal(
          rungs.at(-1)?.parent ?? leaves[index]?.toString('hex'),
          root.toString('hex'),
          `${index} of ${size}`,
        );
      }
    }
  });
});

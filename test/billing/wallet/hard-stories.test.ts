import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import type { Balance } from '../../../src/billing/wallet/schema.ts';
import { postApproved } from '../../governance/support.ts';
import { buildInvocation, buildOperator, buildSkill } from '../../support/factories.ts';
import { balanceTransaction, disputeObject, paymentEventBody } from '../../support/payment-webhooks.ts';
import { buildPerson } from '../../support/people.ts';
import { assertStatus, database } from '../../support/service.ts';
import { onlyCase } from '../cases/support.ts';
import { buildTopUp, movements, post, topUpRow } from '../payments/support.ts';
import { centsIn, tablesBelow } from '../story-tables.ts';

interface Line {
  what: string;
  rows: number[];
  ledger: number;
  held: number;
  available: number;
  owed: number;
}

/** The table below a heading of docs/billing.md. */
async function storyOf(heading: string): Promise<Line[]> {
  const [table = []] = await tablesBelow(heading);
  return table.map(([what = '', rows = '', ...amounts]) => {
    const [ledger = NaN, held = NaN, available = NaN, owed = NaN] = amounts.map(centsIn);
    return { what, rows: rows === '' ? [] : rows.split(', ').map(centsIn), ledger, held, available, owed };
  });
}

describe('docs/billing.md', function () {
  this.timeout(60_000);
  after(async () => assertLedger(await database()));

  type Steps = Record<string, () => Promise<unknown>>;

  /** An operator to whom the first story happens; `play` looks after each line whether the wallet is as the page says. */
  async function beginStory() {
    const [operator, provider] = [await buildOperator(), await buildOperator()];
    const order = async (cents: number): Promise<string> => {
      const skill = await buildSkill(provider, { price_per_invocation: cents });
      return (await buildInvocation(operator, skill.id)).id;
    };
    const end = async (id: string, how: string, body: object): Promise<void> => {
      assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
      assertStatus(await provider.post(`/v1/skills/invocations/${id}/${how}`, body), 200);
    };
    let [topUp, ordered] = ['', ''];
    const dispute = async (type: string, over: Record<string, unknown>): Promise<void> => {
      const { payment_id: paymentId } = await topUpRow(topUp);
      await post(
        paymentEventBody(
          type,
          disputeObject({ id: `dp_${topUp}`, paymentId: paymentId ?? '', amountCents: 1_000 }, over),
        ),
      );
    };
    const moved = (...cents: number[]) => ({
      balance_transactions: cents.map((amount, index) => balanceTransaction(`txn_${topUp}_${index}`, amount)),
    });
    const steps: Steps = {
      '$10 are topped up': async () => (topUp = (await buildTopUp(operator, 1_000)).id),
      'work of $4 is done': async () => end(await order(400), 'complete', { output: { text: 'HELLO' } }),
      'work of $3 is ordered': async () => (ordered = await order(300)),
      'the bank takes back $10': () => dispute('charge.dispute.created', moved(-1_000)),
      'the work fails: its hold is released': () =>
        end(ordered, 'fail', { error: { code: 'BROKEN', message: 'broken' } }),
      '$20 are topped up': () => buildTopUp(operator, 2_000),
    };
    let before = 0;
    const play = async (story: readonly Line[], taken: Steps): Promise<void> => {
      for (const line of story) {
        const step = taken[line.what] ?? assert.fail(`the test lacks a step "${line.what}"`);
        await step();
        const rows = await movements(operator.operatorId);
        const wallet = assertStatus(await operator.get<Balance>('/v1/billing/balance'), 200);
        assert.deepEqual(
          {
            what: line.what,
            rows: rows.slice(before).map(({ cents }) => cents),
            ledger: wallet.ledger_balance_cents,
            held: wallet.held_cents,
            available: wallet.balance_cents,
            owed: wallet.receivable_cents,
          },
          line,
        );
        before = rows.length;
      }
    };
    const won = () => dispute('charge.dispute.closed', { status: 'won', ...moved(-1_000, 1_000) });
    return { operator, steps, play, won };
  }

  it('says what becomes of a wallet whose payment is taken back after it was spent', async () => {
    const { steps, play } = await beginStory();
    const story = await storyOf('A payment is taken back that was spent');
    assert.equal(story.length, Object.keys(steps).length);
    await play(story, steps);
  });

  it('says what becomes of it where the debt is given up', async () => {
    const { operator, steps, play, won } = await beginStory();
    await play((await storyOf('A payment is taken back that was spent')).slice(0, 5), steps);
    const person = await buildPerson({ operatorId: 'op_platform' });
    const after: Steps = {
      async 'the debt is given up'() {
        const path = `/v1/admin/billing/receivables/${encodeURIComponent((await onlyCase(operator)).id)}/close`;
        assertStatus(await postApproved(person, path, { body: { reason: 'A victim of the fraud too.' } }), 200);
      },
      'the dispute is won': won,
    };
    const story = await storyOf('A debt is given up');
    assert.equal(story.length, Object.keys(after).length);
    await play(story, after);
  });
});

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { assertLedger } from '../../../src/billing/index.ts';
import type { Balance } from '../../../src/billing/wallet/schema.ts';
import { buildInvocation, buildOperator, buildSkill } from '../../support/factories.ts';
import { disputeObject, paymentEventBody } from '../../support/payment-webhooks.ts';
import { assertStatus, database } from '../../support/service.ts';
import { buildTopUp, movements, post, topUpRow } from '../payments/support.ts';

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
  const page = await readFile(new URL('../../../docs/billing.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split(`### ${heading}\n`);
  const [table = ''] = section.trim().split('\n\n');
  const number = (text = ''): number => Number(text.replace('−', '-').replaceAll(',', ''));
  return table
    .split('\n')
    .slice(2)
    .map((line) => {
      const [, what = '', rows = '', ledger, held, available, owed] = line.split('|').map((cell) => cell.trim());
      return {
        what,
        rows: rows === '' ? [] : rows.split(', ').map(number),
        ledger: number(ledger),
        held: number(held),
        available: number(available),
        owed: number(owed),
      };
    });
}

describe('docs/billing.md', function () {
  this.timeout(60_000);
  after(async () => assertLedger(await database()));

  it('says what becomes of a wallet whose payment is taken back after it was spent', async () => {
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
    const steps: Record<string, () => Promise<unknown>> = {
      '$10 are topped up': async () => (topUp = (await buildTopUp(operator, 1_000)).id),
      'work of $4 is done': async () => end(await order(400), 'complete', { output: { text: 'HELLO' } }),
      'work of $3 is ordered': async () => (ordered = await order(300)),
      'the bank takes back $10': async () => {
        const { payment_id: paymentId } = await topUpRow(topUp);
        const dispute = disputeObject(`dp_${topUp}`, paymentId ?? '', 1_000);
        await post(paymentEventBody('charge.dispute.created', dispute));
      },
      'the work fails: its hold is released': () =>
        end(ordered, 'fail', { error: { code: 'BROKEN', message: 'broken' } }),
      '$20 are topped up': () => buildTopUp(operator, 2_000),
    };
    const story = await storyOf('A payment is taken back that was spent');
    assert.equal(story.length, Object.keys(steps).length);
    let before = 0;
    for (const line of story) {
      const step = steps[line.what] ?? assert.fail(`the test lacks a step "${line.what}"`);
      await step();
      const moved = await movements(operator.operatorId);
      const wallet = assertStatus(await operator.get<Balance>('/v1/billing/balance'), 200);
      assert.deepEqual(
        {
          what: line.what,
          rows: moved.slice(before).map(({ cents }) => cents),
          ledger: wallet.ledger_balance_cents,
          held: wallet.held_cents,
          available: wallet.balance_cents,
          owed: wallet.receivable_cents,
        },
        line,
      );
      before = moved.length;
    }
  });
});

import assert from 'node:assert/strict';
import { casesOf } from '../../support/cases.ts';
import { chromium } from '../../support/chromium.ts';
import { buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { PATIENCE_MS } from '../../support/pasted.ts';
import { codeFor, signIn } from '../../support/people.ts';
import { assertStatus, type Requester } from '../../support/service.ts';
import type { Press, Visitor, Way } from '../../support/visitor.ts';
import { visitorBy } from '../../support/visitors.ts';
import { requestApproval, requestReview } from './scene.ts';

interface Prepared {
  /** The page on which it is decided. */
  at: string;
  press: Press;
  /** The state afterwards. */
  state: () => Promise<unknown>;
}

/** A decision: how it comes about, the button that makes it, and its outcome. */
interface Decision {
  title: string;
  prepare(operator: Requester): Promise<Prepared>;
  button: string;
  /** In the notice of the page after it. */
  notice: RegExp;
  state: unknown;
}

const status = (operator: Requester, path: string) => async (): Promise<unknown> =>
  assertStatus(await operator.get(path), 200).status;

const anApproval = async (operator: Requester): Promise<Prepared> => {
  const id = await requestApproval(operator);
  return { at: '/dashboard', press: { card: id }, state: status(operator, `/v1/governance/approvals/${id}`) };
};

const aReview = async (operator: Requester): Promise<Prepared> => {
  const { reviewId, agentId } = await requestReview(operator);
  return {
    at: `/dashboard/reviews/${reviewId}`,
    press: { card: reviewId, fields: { notes: 'Looked at on the phone.' } },
    state: status(operator, `/v1/agents/${agentId}`),
  };
};

/** Each decision of a person that a page has a button for: one entry each. */
const decisions: readonly Decision[] = [
  { title: 'approve a request', prepare: anApproval, button: 'Approve', notice: /^Approved: PATCH/, state: 'approved' },
  { title: 'reject a request', prepare: anApproval, button: 'Reject', notice: /^Rejected: PATCH/, state: 'rejected' },
  { title: 'approve a review', prepare: aReview, button: 'Approve', notice: /^Approved: the review/, state: 'active' },
  {
    title: 'block an agent in its review',
    prepare: aReview,
    button: 'Block the agent',
    notice: /^Blocked: the review/,
    state: 'blocked',
  },
  {
    title: 'unblock an agent',
    async prepare(operator) {
      const { agentId } = await requestReview(operator);
      assertStatus(await operator.post(`/v1/agents/${agentId}/block`), 200);
      return { at: `/dashboard/agents/${agentId}`, press: {}, state: status(operator, `/v1/agents/${agentId}`) };
    },
    button: 'Unblock the agent',
    notice: /^It is unblocked/,
    state: 'active',
  },
  {
    title: 'end the mails to themselves',
    prepare: async () => ({ at: '/dashboard/mails', press: {}, state: async () => 'as the page says' }),
    button: 'Turn',
    notice: /^They are turned o/,
    state: 'as the page says',
  },
];

type Hands = Pick<Way, 'hand' | 'scripts'>;

const ways = casesOf<Hands>(
  [
    { hand: 'mouse', scripts: true },
    { hand: 'keyboard', scripts: false },
    { hand: 'mouse', scripts: false },
    { hand: 'keyboard', scripts: true },
  ],
  ({ hand, scripts }) => (hand === 'mouse') === scripts,
);

describe('People decide in a browser', function () {
  this.timeout(PATIENCE_MS);
  let operator: TestOperator;
  let cookie: string;
  let buyerCookie: string;
  before(async () => {
    await chromium(); // it is installed where it is not there yet
    operator = await buildOperator({ tier: 'business' });
    ({ cookie } = await signIn(operator.email));
    ({ cookie: buyerCookie } = await signIn((await buildOperator()).email));
  });

  for (const way of ways)
    describe(`with the ${way.hand} alone, ${way.scripts ? 'with' : 'without'} scripts`, () => {
      let visitor: Visitor;
      before(async () => {
        visitor = await visitorBy({ ...way, cookie, width: 360, scheme: 'light' });
      });
      after(() => visitor.close());

      for (const { title, prepare, button, notice, state } of decisions)
        it(`they ${title}`, async () => {
          const prepared = await prepare(operator);
          await visitor.open(prepared.at);
          const seen = await visitor.press(button, prepared.press);
          assert.equal(seen.status, 200);
          assert.match(seen.notices[0] ?? '', notice);
          assert.match(seen.focus, notice, 'the keyboard goes on there');
          assert.equal(await prepared.state(), state);
        });

      it('they pay a top-up on the page of the provider, and come back to the wallet', async () => {
        const wallet = '/dashboard/wallet';
        await visitor.open(wallet);
        const begun = await visitor.press('Top up', { fields: { amount: '25.50' } });
        assert.equal(begun.title, 'Top up the wallet');
        await visitor.follow('Open the payment page');
        const paid = await visitor.press('Pay $25.50');
        assert.equal(paid.title, 'Paid');
        const back = await visitor.follow('Back to the wallet');
        assert.deepEqual([back.path, back.title], [wallet, 'Wallet']);
      });

      it('they publish a skill by its form, another tries it, and its end shows on the page that is open', async () => {
        const name = unique('typed');
        await visitor.open('/dashboard/skills/new');
        const fields = { name, description: 'It echoes.', trust_level_required: 'L0', accepts_requests: [] };
        const published = await visitor.press('Publish it', { fields });
        assert.match(published.notices[0] ?? '', /published/);
        const offer = `/dashboard/market/${/skl_\w+/.exec(published.path)?.[0] ?? ''}`;
        const buyer = await visitorBy({ ...way, cookie: buyerCookie, width: 360, scheme: 'dark' });
        await buyer.open(offer);
        const { path } = await buyer.press('Run it', { fields: { 'input.text': 'hello' } });
        assert.match(path, /^\/dashboard\/invocations\/inv_/);
        await visitor.open(path);
        assert.match((await visitor.press('Claim it')).focus, /^It is claimed/);
        assert.match(
          (await visitor.press('Complete it', { fields: { 'output.text': 'hello to you' } })).focus,
          /^It is compl/,
        );
        if (way.scripts) await buyer.watch(/hello to you/);
        else assert.match((await buyer.open(path)).text, /hello to you/);
        await buyer.close();
      });

      it('they sign in with the code of the mail, and out', async () => {
        const { name, email } = await buildOperator();
        const stranger = await visitorBy({ ...way, width: 360, scheme: 'dark' });
        await stranger.open('/dashboard');
        const asked = await stranger.press('Send me a code', { fields: { email } });
        assert.equal(asked.title, 'Enter the code');
        const entered = await stranger.press('Sign in', { fields: { code: await codeFor(email) } });
        assert.deepEqual([entered.path, entered.title], ['/dashboard', name]);
        const left = await stranger.press('Sign out');
        assert.match(left.notices[0] ?? '', /You are signed out/);
        await stranger.close();
      });
    });
});

import type { z } from 'zod';
import { HOME, idLink } from '../../console/places.ts';
import { meter } from '../../console/charts.ts';
import { badge, empty, figures, table, type Column } from '../../console/parts.ts';
import { live } from '../../console/page.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { getHeld } from '../../inbound/events/held-routes.ts';
import { getUsage } from '../../billing/metering/routes.ts';
import { getEarnings } from '../../billing/payouts/routes.ts';
import { getBalance } from '../../billing/wallet/routes.ts';
import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { InvocationSummary } from '../../invocations/index.ts';
import { mine, pending, provided } from '../../invocations/routes.ts';
import { search as passports } from '../../passports/lists/routes.ts';
import { mine as ownSkills } from '../../skills/list-routes.ts';

/** Invocations that the first page shows. */
const NEWEST = 6;
/** Completed invocations of a side among which a paid one is looked for: free ones may have come first. */
const LOOKED_AT = 20;

interface Money {
  balance: z.output<typeof getBalance.reply>;
  earned: z.output<typeof getEarnings.reply>;
}

const readMoney = async ({ visit }: PersonsVisit): Promise<Money> => ({
  balance: (await visit.call(getBalance)).body,
  earned: (await visit.call(getEarnings)).body,
});

const money = ({ balance, earned }: Money): Html =>
  live(
    'money',
    figures('Wallet and earnings', [
      ['Available in the wallet', html`<a href="${HOME}/wallet">${balance.balance_usd}</a>`],
      ['Held', dollars(balance.held_cents)],
      ...(balance.receivable_cents === 0 ? [] : [['Owed', dollars(balance.receivable_cents)] as const]),
      ['Earned, to be paid out', html`<a href="${HOME}/earnings">${dollars(earned.available_cents)}</a>`],
      ...(earned.pending_cents === 0 ? [] : [['In a payout', dollars(earned.pending_cents)] as const]),
    ]),
  );

/** The newest invocations of an operator, by side. */
interface Newest {
  mine: readonly InvocationSummary[];
  provided: readonly InvocationSummary[];
}

async function readNewest({ visit }: PersonsVisit): Promise<Newest> {
  const query = { limit: String(NEWEST) };
  return {
    mine: (await visit.call(mine, { query })).body.invocations,
    provided: (await visit.call(provided, { query })).body.invocations,
  };
}

/** The newest of both sides; ids say when. */
function newestOf(sides: Newest): InvocationSummary[] {
  const once = new Map([...sides.mine, ...sides.provided].map((invocation) => [invocation.id, invocation]));
  return [...once.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, NEWEST);
}

const wasPaid = ({ status, price_cents: price, self_invocation: own }: InvocationSummary): boolean =>
  status === 'completed' && price > 0 && !own;

async function hasCompletedPaid({ visit }: PersonsVisit, newest: Newest): Promise<boolean> {
  if ([...newest.mine, ...newest.provided].some(wasPaid)) return true;
  const query = { status: 'completed', limit: String(LOOKED_AT) };
  for (const side of [mine, provided])
    if ((await visit.call(side, { query })).body.invocations.some(wasPaid)) return true;
  return false;
}

interface FirstStep {
  done: boolean;
  path: string;
  text: string;
  why: string;
}

/** The way to a first goal. */
interface FirstPath {
  title: string;
  steps: readonly FirstStep[];
}

/** The ways to the first invocation that was paid and completed, of each side; once there is one, the page leaves them out. */
async function pathsOf(
  { visit }: PersonsVisit,
  { balance, agents, ordered, sold }: { balance: Money['balance']; agents: number; ordered: boolean; sold: boolean },
): Promise<readonly FirstPath[]> {
  const query = { limit: '1' };
  const published = (await visit.call(ownSkills, { query })).body.skills.length > 0;
  const issued = (await visit.call(passports, { query })).body.passports.length > 0;
  const filled = balance.ledger_balance_cents > 0 || ordered;
  return [
    {
      title: 'Buy',
      steps: [
        {
          done: filled,
          path: 'wallet',
          text: 'Fill the wallet',
          why: 'Invocations of others’ skills are paid from it.',
        },
        {
          done: ordered,
          path: 'market',
          text: 'Find a skill in the market',
          why: 'Each says what it takes and costs.',
        },
        { done: ordered, path: 'market', text: 'Invoke it', why: 'The price is held, and paid once it is completed.' },
      ],
    },
    {
      title: 'Sell',
      steps: [
        { done: published, path: 'skills', text: 'Publish a skill', why: 'Others order it, and you earn its price.' },
        { done: agents > 0, path: 'agents', text: 'Make an agent', why: 'It acts for you, with a key of its own.' },
        {
          done: issued,
          path: 'passports',
          text: 'Issue a passport',
          why: 'It says for whom the agent acts, and how far.',
        },
        {
          done: sold,
          path: 'invocations?side=waiting',
          text: 'Work on an order',
          why: 'Claim it, and deliver its output.',
        },
      ],
    },
  ];
}

const step = ({ done, path, text, why }: FirstStep): Html =>
  html`<li><a href="${HOME}/${path}">${text}</a> ${done ? badge('done', 'good') : badge('to do')} <span class="muted">${why}</span></li>\n`;

const steps = (paths: readonly FirstPath[]): Html => {
  if (paths.length === 0) return live('first-steps', html``);
  return live(
    'first-steps',
    html`<h2>First steps</h2>
<div class="columns">
${paths.map(
  ({ title, steps: all }) => html`<section class="card">
<h3>${title} <span class="badge">${all.filter(({ done }) => done).length} of ${all.length}</span></h3>
<ol class="ways">
${all.map(step)}</ol>
</section>
`,
)}</div>
`,
  );
};

const meters = ({ allowances, tier }: z.output<typeof getUsage.reply>): Html =>
  live(
    'usage',
    html`<h2>Usage this month</h2>
<p class="muted">Tier ${tier}. <a href="${HOME}/wallet">All that it includes</a></p>
<ul class="meters">
${meter('Metered actions', allowances.metered_actions.used, allowances.metered_actions.included)}${meter('Classifications by a model', allowances.l3_classifications.used, allowances.l3_classifications.included)}${meter('SMS', allowances.sms.used, allowances.sms.included)}${meter('Mails', allowances.email.used, allowances.email.included)}</ul>
`,
  );

const columnsFor = (operatorId: string): readonly Column<InvocationSummary>[] => [
  { title: 'Invocation', cell: ({ id }) => idLink(id) },
  {
    title: 'Side',
    cell: ({ consumer_operator_id: consumer, provider_operator_id: provider }) =>
      consumer === provider ? 'a test of your own' : consumer === operatorId ? 'you ordered' : 'ordered of you',
  },
  { title: 'State', cell: ({ status }) => badge(status) },
  { title: 'Ordered', cell: ({ created_at: at }) => moment(at) },
  { title: 'Price', amount: true, cell: ({ price_cents: cents }) => dollars(cents) },
];

const newest = (all: readonly InvocationSummary[], operatorId: string): Html =>
  live(
    'newest',
    html`<h2>Newest invocations</h2>
${all.length === 0 ? empty(html`Nothing is ordered yet. <a href="${HOME}/market">Find a skill</a> and try it.`) : html`${table('Newest invocations', columnsFor(operatorId), all)}<p><a href="${HOME}/invocations">All invocations</a></p>\n`}`,
  );

/** Orders that are counted; of more the page says so. */
const MOST_ORDERS = 20;

/** Says how many orders nobody has claimed yet; null: none. */
async function ordersOf({ visit }: PersonsVisit): Promise<Html | null> {
  const { body } = await visit.call(pending, { query: { limit: String(MOST_ORDERS + 1) } });
  const { length: count } = body.invocations;
  if (count === 0) return null;
  const shown = count > MOST_ORDERS ? `More than ${MOST_ORDERS}` : String(count);
  return html`<p><strong>${shown}</strong> ${count === 1 ? 'order waits until you claim it' : 'orders wait until you claim them'}. <a href="${HOME}/invocations?side=waiting">Show ${count === 1 ? 'it' : 'them'}</a></p>\n`;
}

/** As many of the newest that are held as are looked at; of more the page says so. */
const MOST_HELD = 20;

/** Says how many events from outside are held that can still be read and replayed; null: none. */
async function heldOf({ visit }: PersonsVisit): Promise<Html | null> {
  const { body } = await visit.call(getHeld, { query: { limit: String(MOST_HELD + 1) } });
  const count = body.events.filter(({ content_kept: kept }) => kept).length;
  if (count === 0) return null;
  const shown = count > MOST_HELD ? `More than ${MOST_HELD}` : String(count);
  return html`<p><strong>${shown}</strong> ${count === 1 ? 'event from outside is' : 'events from outside are'} held. <a href="${HOME}/held">Show ${count === 1 ? 'it' : 'them'}</a></p>\n`;
}

/** The parts of the first page around that which waits. */
interface HomeParts {
  above: Html;
  /** Null: nobody has ordered what is not claimed yet. */
  orders: Html | null;
  /** Null: nothing is held. */
  held: Html | null;
  below: Html;
  /** The invocations that are shown. */
  ids: readonly string[];
}

export async function homeParts(person: PersonsVisit): Promise<HomeParts> {
  const read = await readMoney(person);
  const { body: usage } = await person.visit.call(getUsage);
  const sides = await readNewest(person);
  const invocations = newestOf(sides);
  const isOfOther = ({ self_invocation: own }: InvocationSummary): boolean => !own;
  const state = {
    balance: read.balance,
    agents: usage.usage.agents,
    ordered: sides.mine.some(isOfOther),
    sold: sides.provided.some((one) => isOfOther(one) && one.status === 'completed'),
  };
  const first = (await hasCompletedPaid(person, sides)) ? [] : await pathsOf(person, state);
  return {
    above: html`${money(read)}${steps(first)}`,
    orders: await ordersOf(person),
    held: await heldOf(person),
    below: html`${newest(invocations, person.caller.operatorId)}${meters(usage)}`,
    ids: invocations.map(({ id }) => id),
  };
}

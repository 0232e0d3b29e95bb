import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { Page } from '../../http/pages/page.ts';
import { asCurl } from '../../console/list.ts';
import { consolePage, live, type Entered, type Shown } from '../../console/page.ts';
import { figures } from '../../console/parts.ts';
import { decides, oneOf, type PersonsVisit } from '../../console/visits.ts';
import { getUsage } from '../metering/routes.ts';
import { getTopUps } from '../payments/top-ups/routes.ts';
import { getSubscription } from '../subscriptions/routes.ts';
import { getBalance } from '../wallet/routes.ts';
import { takesPayments } from './provider-page.ts';
import { subscriptionActs, subscriptionFacts, subscriptionForms } from './subscription-part.ts';
import { openTopUps, topUpActs, topUpForm } from './top-up-part.ts';
import { usagePart } from './usage-part.ts';
import { walletLists, type WalletList } from './wallet-lists.ts';
import { remaindersSentence, TRANSACTIONS_PATH, WALLET_PATH } from './words.ts';

const nothing = html``;

async function figuresPart({ visit }: PersonsVisit): Promise<Html> {
  const { body: balance } = await visit.call(getBalance);
  const { reserved_cents: reserved, receivable_cents: owed } = balance;
  return html`${owed > 0 ? html`<p class="notice error">The wallet owes ${dollars(owed)} since a payment was taken back. Until it is paid, nothing can be spent; the next money that comes in pays it first.</p>\n` : nothing}${figures(
    'Wallet',
    [
      ['Available to spend', dollars(balance.available_cents)],
      ['In the wallet', dollars(balance.ledger_balance_cents)],
      ['Held of it', dollars(balance.held_cents)],
      ...(reserved > 0 ? [['Used, not debited yet', dollars(reserved)] as const] : []),
      ...(owed > 0 ? [['Owed', dollars(owed)] as const] : []),
    ],
  )}${remaindersSentence(balance.remainders)}`;
}

/** The lists that have something, one after the other, so that a page takes one connection at a time. */
async function listsPart(person: PersonsVisit): Promise<Html> {
  const shown: Html[] = [];
  const without: WalletList[] = [];
  for (const list of walletLists.filter(({ isForAdministrators }) => !isForAdministrators || decides(person))) {
    const some = await list.short(person);
    if (some === null) without.push(list);
    else shown.push(some);
  }
  const links = without.map(
    ({ name, title }, at) =>
      html`${at === 0 ? '' : ', '}<a href="${WALLET_PATH}?list=${name}">${title.toLowerCase()}</a>`,
  );
  return html`${shown}${without.length === 0 ? nothing : html`<p class="muted">Nothing to list: ${links}.</p>\n`}`;
}

async function listShown(person: PersonsVisit, list: WalletList): Promise<Shown | Page> {
  const { html: shown, csv } = await list.whole(person);
  return (
    csv ?? {
      title: list.title,
      body: html`<p><a href="${WALLET_PATH}">Wallet</a></p>
<h1>${list.title}</h1>
${shown}`,
    }
  );
}

/** The forms for those who may pay; for members a sentence that says who does. */
function actsPart(person: PersonsVisit, forms: Html): Html {
  if (!decides(person)) return html`<p class="muted">Owners and administrators change it.</p>\n`;
  if (!takesPayments(person))
    return html`<p class="muted">This instance has no payment provider: the platform credits wallets, and gives tiers.</p>\n`;
  return forms;
}

/** The wallet: what it has, what is promised, how it is filled, and the subscription. */
export const walletPage = consolePage({
  operation: 'walletPage',
  path: WALLET_PATH,
  async show(person, entered?: Entered) {
    const { visit, caller } = person;
    const list = walletLists.find(({ name }) => name === oneOf(visit.query, 'list'));
    if (list !== undefined) return await listShown(person, list);
    const balance = await figuresPart(person);
    const { body: subscription } = await visit.call(getSubscription);
    const { body: usage } = await visit.call(getUsage);
    const open = decides(person) ? (await visit.call(getTopUps, { query: { state: 'unpaid' } })).body.top_ups : [];
    return {
      title: 'Wallet',
      live: { ids: [caller.operatorId, ...open.map(({ id }) => id)], looks: true },
      body: html`<h1>Wallet</h1>
${live('balance', balance)}<p><a href="${TRANSACTIONS_PATH}">Transactions</a>: what moved, and why.</p>
<div class="columns"><section class="card"><h2>Top up</h2>
${actsPart(person, topUpForm(entered))}${live('open', openTopUps(open))}</section>
<section class="card"><h2>Subscription</h2>
${live('subscription', subscriptionFacts(subscription))}${actsPart(person, subscriptionForms(subscription, usage, entered))}</section></div>
${live('usage', usagePart(usage))}${live('lists', await listsPart(person))}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}${getBalance.path}` })}`,
    };
  },
  acts: { ...topUpActs, ...subscriptionActs },
});

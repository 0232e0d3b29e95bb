import type { z } from 'zod';
import { isLargerTier, paidTiers } from '../../fields/tiers.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { fieldsOf, schemaOf, valueOf } from '../../console/form.ts';
import { actForm, callAct, enteredIn, type Act, type Entered, type Shown } from '../../console/page.ts';
import { badge, facts } from '../../console/parts.ts';
import {
  deleteChange,
  postCancel,
  postChangePage,
  postPortal,
  postSeats,
  postSubscribe,
  type getSubscription,
} from '../subscriptions/routes.ts';
import { SubscribeSchema, type Subscribed } from '../subscriptions/schema.ts';
import { SetSeatsSchema } from '../subscriptions/seats-schema.ts';
import type { Usage } from '../metering/schema.ts';
import { providerPage } from './provider-page.ts';

type Subscription = z.output<typeof getSubscription.reply>;

const nothing = html``;
const tones: Readonly<Record<Subscription['status'], string>> = {
  none: 'info',
  active: 'good',
  canceling: 'warning',
  past_due: 'warning',
  unpaid: 'error',
};

/** The subscription as it is. */
export function subscriptionFacts(subscription: Subscription): Html {
  const { tier, status, billing_period: period, next_tier: next, purchased_seats: seats } = subscription;
  const change = subscription.pending_change;
  return html`${facts([
    ['Tier', html`<strong>${tier}</strong>`],
    ['State', status === 'none' ? 'not subscribed' : badge(status, tones[status])],
    [status === 'canceling' ? 'Ends' : 'Period', html`${status === 'canceling' ? '' : 'until '}${moment(period.end)}`],
    ['From then on', next],
    ['Seats bought', seats === 0 ? null : seats],
  ])}${
    change === null
      ? nothing
      : html`<p class="notice">The change to <strong>${change.tier}</strong> waits to be paid, until ${moment(change.expires_at)}.</p>
`
  }`;
}

const tierForm = schemaOf(SubscribeSchema);
const tierHint = 'A larger tier counts when it is paid, a smaller one from the end of the period on.';
const firstTierHint = 'The payment page has the price, before you pay. The tier counts when it is paid.';
const seatsForm = schemaOf(SetSeatsSchema);
const seatsOptions = {
  labels: { purchased_seats: 'Seats bought beside those of the tier' },
  hints: { purchased_seats: 'All of them, not the difference. They count immediately.' },
};

/** The forms that the subscription allows as it is. */
export function subscriptionForms(
  { tier, status, next_tier: next, purchased_seats: seats, pending_change: change }: Subscription,
  { seats: { included_seats: included, seat_ceiling: ceiling } }: Usage,
  entered?: Entered,
): Html {
  const of = (act: string): Entered | undefined => enteredIn(act, entered);
  const portal = actForm({ act: 'portal', label: 'Invoices and payment methods' });
  if (change !== null)
    return html`${actForm({ act: 'openChange', label: 'Open the payment page', tone: 'primary' })}${actForm({ act: 'giveUp', label: 'Give the change up', tone: 'danger' })}${portal}`;
  const isBought = status !== 'none';
  const others = paidTiers.filter((one) => (isBought ? one !== tier : isLargerTier(one, tier)));
  return html`${status === 'canceling' || next !== null ? actForm({ act: 'subscribe', hidden: { tier }, label: `Keep ${tier}`, tone: 'primary' }) : nothing}${
    others.length === 0
      ? nothing
      : actForm({
          act: 'subscribe',
          label: isBought ? 'Change the tier' : 'Subscribe',
          ...(!isBought && { tone: 'primary' as const }),
          fields: fieldsOf(
            tierForm,
            {
              choices: { tier: others.map((one) => [one, one]) },
              hints: { tier: isBought ? tierHint : firstTierHint },
            },
            { entered: of('subscribe'), values: { tier: next } },
          ),
        })
  }${
    included !== null && (ceiling === null || ceiling > included)
      ? actForm({
          act: 'seats',
          label: 'Set the seats',
          fields: fieldsOf(seatsForm, seatsOptions, { entered: of('seats'), values: { purchased_seats: seats } }),
        })
      : nothing
  }${portal}${
    isBought && status !== 'canceling'
      ? html`${actForm({ act: 'cancel', label: 'Cancel the subscription', tone: 'danger' })}<p class="hint">The tier stays until the end of the period. Until then you can take it back.</p>`
      : nothing
  }`;
}

/** Where there is something to pay, its page; else back to the wallet, which has what was done. */
const toBePaid = ({ checkout_url: url, tier }: Subscribed): Shown | undefined =>
  url === null
    ? undefined
    : providerPage({
        title: `Change to ${tier}`,
        label: 'Open the payment page',
        url,
        after:
          'The tier counts as soon as it is paid. Until then the change waits in the wallet, where you can open the page again or give the change up.',
      });

export const subscriptionActs: Readonly<Record<string, Act>> = {
  subscribe: callAct('It is done: below is the subscription as it is now.', postSubscribe, {
    input: (form) => ({ body: valueOf(tierForm, form) }),
    then: toBePaid,
  }),
  openChange: callAct('There is nothing to pay any more.', postChangePage, { then: toBePaid }),
  giveUp: callAct('The change is given up.', deleteChange),
  cancel: callAct('The subscription ends with its period.', postCancel),
  seats: callAct('The seats are set.', postSeats, {
    input: (form) => ({ body: valueOf(seatsForm, form, seatsOptions) }),
  }),
  portal: callAct('The page is open.', postPortal, {
    then: ({ url }) =>
      providerPage({
        title: 'Invoices and payment methods',
        label: 'Open the page',
        url,
        after: 'Its address opens it for everybody who has it, for minutes: do not pass it on.',
      }),
  }),
};

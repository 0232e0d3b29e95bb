import type { z } from 'zod';
import { html, type Html } from '../../http/pages/html.ts';
import { HOME, idLink, named } from '../../console/places.ts';
import { badge } from '../../console/parts.ts';
import type { MeterSchema, TransactionType, WalletTransaction } from '../wallet/schema.ts';

export const WALLET_PATH = `${HOME}/wallet`;
export const TRANSACTIONS_PATH = `${HOME}/transactions`;

/** The types of rows, as pages name them. */
export const typeWords: Readonly<Record<TransactionType, string>> = {
  topup: 'Top-up',
  refund: 'Refund of a top-up',
  invocation: 'Invocation',
  compute: 'Computing',
  identity: 'Identity verification',
  overage: 'Beyond the allowance',
  adjustment: 'Adjustment',
};

export const meterWords: Readonly<Record<z.infer<typeof MeterSchema>, string>> = {
  sealed_execution: 'sealed execution',
  llm_gateway: 'model calls by a key of a customer',
  identity: 'identity verifications',
  metered_action: 'metered actions',
  sms: 'SMS',
  email: 'e-mail',
  l3: 'classifications',
};

/** Microcents in cents, with as many places as they need: 989650 → `0.98965 ¢`. */
export const fineCents = (microcents: number): string =>
  `${(microcents / 1_000_000).toFixed(6).replace(/\.?0+$/, '')} ¢`;

const MICROCENTS = 'A cent has a million microcents.';

/** The sentence that explains what meters have begun; empty where they have begun nothing. */
export const remaindersSentence = (
  remainders: readonly { meter: z.infer<typeof MeterSchema>; microcents: number }[],
): Html =>
  remainders.length === 0
    ? html``
    : html`<p class="muted">${MICROCENTS} Meters charge parts of a cent, and take a cent of the wallet when it is whole. Begun and not taken yet: ${remainders.map(({ meter, microcents }, at) => html`${at === 0 ? '' : ', '}${meterWords[meter]} ${microcents} microcents (${fineCents(microcents)})`)}.</p>
`;

/**
 * The references of a row, each as a link where it has a page: what the money was for.
 * @param among whether the row stands among others: there the invocation is a word that leads to it
 */
export function reasons(
  { id, details }: Pick<WalletTransaction, 'id' | 'details'>,
  { among }: { among: boolean },
): Html[] {
  const { skill, invocation, mission, top_up: topUp, refund_id: refund, dispute, source_count: sources } = details;
  return [
    ...(skill === null ? [] : [html`Skill ${named(skill.name, skill.id)}`]),
    ...(invocation === null
      ? []
      : [
          html`${among ? named('Invocation', invocation.id) : html`Invocation ${idLink(invocation.id)}`} ${badge(invocation.status)}`,
        ]),
    ...(mission === null ? [] : [html`Mission ${named(mission.declared_intent, mission.id)}`]),
    ...(topUp === null || topUp.transaction_id === null || topUp.transaction_id === id
      ? []
      : [html`Top-up ${idLink(topUp.transaction_id)}`]),
    ...(refund === null ? [] : [html`<a href="${WALLET_PATH}?list=refunds">Refund</a> <code>${refund}</code>`]),
    ...(dispute === null
      ? []
      : [html`<a href="${WALLET_PATH}?list=disputes">Dispute</a> <code>${dispute.id}</code> ${badge(dispute.status)}`]),
    ...(sources === 0
      ? []
      : [html`<a href="${TRANSACTIONS_PATH}/${id}">${sources === 1 ? 'One source' : `${sources} sources`}</a>`]),
  ];
}

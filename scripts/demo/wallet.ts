import { expect, money, show, printStep, type Body, type DemoClient } from './client.ts';

interface Transaction {
  type: string;
  amount_cents: number;
  description: string;
  details: { invocation_id: string | null };
}

const BALANCE = '/v1/billing/balance';
const TRANSACTIONS = '/v1/billing/transactions';
const TOP_UP_CENTS = 2_000;
const SECOND_TOP_UP_CENTS = 1_000;

const walletText = ({ balance_cents: available, held_cents: held }: Body): string =>
  `available ${money(available)}, held ${money(held)}.`;

export async function showWallet({ call }: DemoClient, key: string): Promise<void> {
  show(walletText(expect(await call('GET', BALANCE, { key }), 200)));
}

/** Opens a checkout, pays it and waits until the wallet has the money. */
async function topUp({ call, pay, until }: DemoClient, key: string, cents: number): Promise<void> {
  const before = Number(expect(await call('GET', BALANCE, { key }), 200).balance_cents);
  const { checkout_url: url } = expect(
    await call('POST', '/v1/billing/topup', { key, body: { amount_cents: cents } }),
    200,
  );
  await pay(String(url));
  const after = await until(BALANCE, key, ({ balance_cents: now }) => Number(now) > before);
  show(`before ${money(before)}, after ${money(after.balance_cents)}.`);
}

export async function fillWallet(client: DemoClient, key: string): Promise<void> {
  printStep('The newcomer tops up: a person pays at a hosted checkout, and its signed webhook credits the wallet.');
  await topUp(client, key, TOP_UP_CENTS);

  printStep('A webhook that the payment provider has not signed is refused, and moves nothing.');
  const forged = expect(
    await client.call('POST', '/v1/billing/webhooks/stripe', {
      body: {
        id: 'evt_1',
        type: 'checkout.session.completed',
      },
    }),
    401,
  );
  show(`${forged.code}: ${forged.detail}`);
  await showWallet(client, key);
}

/** Where the money went: each movement with what it was for. */
export async function readStatement(
  { call }: DemoClient,
  { key, publisherKey }: { key: string; publisherKey: string },
): Promise<void> {
  printStep('The statement explains every cent, newest first.');
  const statement = expect(await call('GET', TRANSACTIONS, { key }), 200);
  for (const { type, amount_cents: cents, description, details } of statement.transactions as Transaction[]) {
    show(
      `${type.padEnd(10)} ${money(cents).padStart(8)}  ${description}${details.invocation_id === null ? '' : `, ${details.invocation_id}`}`,
    );
  }
  const { rows } = expect(await call('GET', `${TRANSACTIONS}?view=timeline`, { key }), 200) as {
    rows: { kind: string; transaction?: { type: string } }[];
  };
  show(
    `The timeline: ${rows.map(({ kind, transaction }) => transaction?.type ?? kind).join(', ')}; it lists model calls even where they cost less than a cent.`,
  );
  const earnings = expect(await call('GET', '/v1/earnings', { key: publisherKey }), 200);
  show(`The publisher has earned ${money(earnings.lifetime_cents)} so far, to be paid out once a month.`);
}

export async function refundTopUps(client: DemoClient, key: string): Promise<void> {
  const { call, until } = client;
  const newestTopUp = async (): Promise<string> => {
    const { transactions } = expect(await call('GET', `${TRANSACTIONS}?type=topup&limit=1`, { key }), 200);
    return (transactions as { id: string }[])[0]?.id ?? '';
  };
  printStep('A top-up can be refunded while the wallet has the whole of it; this one is partly spent.');
  const refused = expect(await call('POST', `/v1/billing/refund/${await newestTopUp()}`, { key }), 400);
  show(`${refused.code}: ${refused.detail}`);

  printStep('The next one is whole, and goes back to where it came from.');
  await topUp(client, key, SECOND_TOP_UP_CENTS);
  const refund = expect(await call('POST', `/v1/billing/refund/${await newestTopUp()}`, { key }), 200, 202);
  const settled = await until(`/v1/billing/refunds/${refund.refund_id}`, key, ({ status }) => status !== 'pending');
  show(`${refund.refund_id}: ${money(refund.amount_cents)}, ${settled.status}.`);
  await showWallet(client, key);
}

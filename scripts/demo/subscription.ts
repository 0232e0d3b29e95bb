import { expect, show, printStep, type Body, type DemoClient } from './client.ts';

interface Usage extends Body {
  tier: string;
  allowances: { metered_actions: { used: number; included: number } };
}

const USAGE = '/v1/billing/usage';
const showUsage = ({
  tier,
  allowances: {
    metered_actions: { used, included },
  },
}: Usage): void =>
  show(`tier ${tier}: ${used} of ${included.toLocaleString('en-US')} metered actions used this month.`);

export async function subscribe({ call, pay, until }: DemoClient, key: string): Promise<void> {
  printStep('A larger tier includes more; it counts from the payment on.');
  showUsage(expect(await call('GET', USAGE, { key }), 200) as Usage);
  const { checkout_url: url } = expect(
    await call('POST', '/v1/billing/subscribe', { key, body: { tier: 'pro' } }),
    200,
  );
  await pay(String(url));
  showUsage((await until(USAGE, key, ({ tier }) => tier === 'pro')) as Usage);
  const seats = expect(await call('POST', '/v1/billing/seats', { key, body: { purchased_seats: 2 } }), 200);
  show(`${seats.total_seats} seats: ${seats.included_seats} of the tier, ${seats.purchased_seats} bought.`);

  printStep('Cancelling keeps what is paid for until the period ends.');
  const canceled = expect(await call('POST', '/v1/billing/cancel-subscription', { key }), 200);
  show(`${canceled.tier} is ${canceled.status} until ${canceled.current_period_end}.`);
}

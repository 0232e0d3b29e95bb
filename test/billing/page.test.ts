import { blockOf, blocksOf, paste, PATIENCE_MS } from '../support/pasted.ts';

describe('docs/billing.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that print what they show, from a top-up to a subscription that is cancelled', async () => {
    await paste(await blocksOf('docs/billing.md', 'money'));
  });

  it('leads to a local page that is paid as docs/operations.md says', async () => {
    const [shell, topUp] = await blocksOf('docs/billing.md', 'money');
    const payment = await blockOf('docs/operations.md', 'local payment');
    const credited = { code: `until [ "$(balance)" = '$20.00' ]; do sleep 0.2; done` };
    await paste([shell, topUp, { code: 'CHECKOUT_URL=$PAGE' }, payment, credited].filter((one) => one !== undefined));
  });
});

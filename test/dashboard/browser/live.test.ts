import assert from 'node:assert/strict';
import { ChromiumVisitor } from '../../support/chromium-visitor.ts';
import { chromium } from '../../support/chromium.ts';
import { buildOperator } from '../../support/factories.ts';
import { PATIENCE_MS } from '../../support/pasted.ts';
import { signIn } from '../../support/people.ts';
import { requestApproval } from './scene.ts';

describe('Live updates, in a browser', function () {
  this.timeout(PATIENCE_MS);

  it('replace what has changed, and nothing that a person has chosen or typed', async () => {
    const browser = await chromium();
    if (browser === null) return; // without scripts nothing is replaced
    const operator = await buildOperator({ tier: 'business' });
    const { cookie } = await signIn(operator.email);
    const chosen = await requestApproval(operator);
    const others = [await requestApproval(operator), await requestApproval(operator)];
    const visitor = await ChromiumVisitor.arrive(browser, {
      scripts: true,
      hand: 'mouse',
      width: 1_280,
      scheme: 'light',
      cookie,
    });
    await visitor.open('/dashboard/approvals?status=all');
    const { page } = visitor;
    const box = page.locator(`input[value="${chosen}"]`);
    const leave = (): Promise<void> => page.locator('h1').click(); // what has the focus is kept anyway
    const isLook = (response: { url(): string }): boolean =>
      new URL(response.url()).pathname === '/dashboard/approvals';
    const reject = async (id: string): Promise<void> => {
      const { origin } = new URL(page.url());
      const answer = await page.request.post(`/v1/governance/approvals/${id}/reject`, {
        headers: { origin },
        data: {},
      });
      assert.equal(answer.status(), 200);
    };
    await box.check();
    await leave();
    // The second look begins once the first has been put into the page.
    for (const id of others) {
      const looked = page.waitForResponse(isLook);
      await reject(id);
      await looked;
    }
    assert.equal(await box.isChecked(), true);
    await box.uncheck();
    await leave();
    await reject(chosen);
    const rejected = page.locator('#approvals td .badge', { hasText: 'rejected' });
    await rejected.nth(2).waitFor();
    await page.context().close();
  });
});

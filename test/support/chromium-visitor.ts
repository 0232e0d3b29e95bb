import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page, Response } from 'playwright-core';
import { service } from './service.ts';
import type { Drawn, Look, Press, Seen, Visitor, Way } from './visitor.ts';

/** No page has as many places that Tab leads to. */
const MAX_TABS = 500;

/** A page takes a second at most on a quiet machine. */
const MAX_WAIT_MS = 120_000;

const HEIGHT = 800;

/** Pixels of a window in which a list has room for all of its columns. */
const DESKTOP = 1_200;

/** A finding of axe: https://github.com/dequelabs/axe-core/blob/develop/doc/API.md#results-object */
type Findings = Pick<axe.AxeResults, 'violations'>;

/**
 * The texts of parts of a page, whether scripts run or not: they write times in the zone of the reader, and add buttons that copy. It is a text, as the
 * page's own: what is evaluated there has the types of the DOM, which those of the tests lack.
 */
const textsOf = `(selector) => [...document.querySelectorAll(selector)].map((part) => {
  const copy = part.cloneNode(true);
  for (const time of copy.querySelectorAll('time')) time.textContent = time.dateTime;
  for (const other of copy.querySelectorAll('button.copy, noscript')) other.remove();
  return copy.textContent;
})`;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Somebody in Chromium. Each page that they open must load without a fault: see `#watch`. */
export class ChromiumVisitor implements Visitor {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #way: Way;
  readonly #faults: string[] = [];
  #drawn: Drawn | undefined;

  private constructor(context: BrowserContext, page: Page, way: Way) {
    this.#context = context;
    this.page = page;
    this.#way = way;
    this.#watch();
  }

  /** @param baseUrl of the instance that is visited; by default that of the suite */
  static async arrive(browser: Browser, way: Way, baseUrl: string = service().baseUrl): Promise<ChromiumVisitor> {
    const { cookie, scripts, width, scheme } = way;
    const context = await browser.newContext({
      baseURL: baseUrl,
      javaScriptEnabled: scripts,
      viewport: { width, height: HEIGHT },
      colorScheme: scheme,
      serviceWorkers: 'block',
    });
    context.setDefaultTimeout(MAX_WAIT_MS);
    if (cookie !== undefined) {
      const at = cookie.indexOf('=');
      const [name, value] = [cookie.slice(0, at), cookie.slice(at + 1)];
      await context.addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: 'Strict' }]);
    }
    return new ChromiumVisitor(context, await context.newPage(), way);
  }

  async open(path: string, drawn?: Drawn): Promise<Seen> {
    this.#drawn = drawn;
    const response = await this.page.goto(path);
    if (drawn !== undefined && this.#way.scripts) await this.page.locator(drawn.shows).first().waitFor();
    return this.#see(response);
  }

  async press(button: string, { fields = {}, card = '' }: Press = {}): Promise<Seen> {
    const place = card === '' ? this.page.locator('body') : this.page.locator('article', { hasText: card });
    const named = (within: Locator | Page): Locator =>
      within.locator('button', { hasText: new RegExp(`^\\s*${RegExp.escape(button)}`) });
    const form = place.locator('form', { has: named(this.page) }).first();
    for (const [name, value] of Object.entries(fields)) await this.#fill(form.locator(`[name="${name}"]`), value);
    return await this.#navigate(named(form).first());
  }

  async follow(link: string): Promise<Seen> {
    return await this.#navigate(this.page.getByRole('link', { name: link, exact: true }).first());
  }

  async watch(words: RegExp): Promise<void> {
    await this.page.locator('main', { hasText: words }).waitFor();
  }

  /** Uses what leads elsewhere, or to the page itself. */
  async #navigate(target: Locator): Promise<Seen> {
    const answered = this.page.waitForResponse(
      (response) => response.request().isNavigationRequest() && response.status() !== 303,
    );
    const loaded = this.page.waitForEvent('load');
    await this.#use(target);
    await loaded;
    return this.#see(await answered);
  }

  async look({ width, scheme }: Look): Promise<void> {
    await this.page.setViewportSize({ width, height: HEIGHT });
    await this.page.emulateMedia({ colorScheme: scheme });
  }

  async assertUsable(): Promise<void> {
    // axe waits by promises and timers, which stand still in a page without scripts.
    if (this.#way.scripts) await this.assertAccessible();
    await this.assertNoSidewaysScroll();
  }

  /** @throws AssertionError for findings of axe that keep somebody from reading or using the page */
  async assertAccessible(): Promise<void> {
    const where = this.#drawn === undefined ? 'document' : JSON.stringify({ exclude: [this.#drawn.in] });
    // By the protocol, which the page's policy does not bind; it forbids what is evaluated in the page.
    const session = await this.#context.newCDPSession(this.page);
    await session.send('Runtime.evaluate', { expression: axe.source });
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression: `axe.run(${where}, { resultTypes: ['violations'] })`,
      awaitPromise: true,
      returnByValue: true,
    });
    await session.detach();
    assert.equal(exceptionDetails, undefined, JSON.stringify(exceptionDetails));
    const found = (result.value as Findings).violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
    assert.deepEqual(found, [], `axe finds in ${this.page.url()}`);
  }

  /** @throws AssertionError where the page is wider than the window, or, where that is one of a desktop, a list is wider than its place */
  async assertNoSidewaysScroll(): Promise<void> {
    const { scrollWidth, clientWidth } = await this.page.evaluate<Record<'scrollWidth' | 'clientWidth', number>>(
      '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)',
    );
    assert(scrollWidth <= clientWidth, `${this.page.url()} is ${scrollWidth} px wide in ${clientWidth} px`);
    if (clientWidth < DESKTOP) return;
    const scrolled = await this.page.evaluate<string[]>(
      '[...document.querySelectorAll(".scroll")].filter((list) => list.scrollWidth > list.clientWidth).map((list) => list.ariaLabel)',
    );
    assert.deepEqual(scrolled, [], `lists of ${this.page.url()} that are wider than their place in ${clientWidth} px`);
  }

  async close(): Promise<void> {
    await this.#context.close();
    this.#assertNoFaults();
  }

  /** Notes what no page may do: an error of a script, a refusal of the policy, what is missing, what is fetched from elsewhere. */
  #watch(): void {
    const { page } = this;
    const note = (fault: string): void => void this.#faults.push(`${page.url()}: ${fault}`);
    page.on('pageerror', (error) => note(String(error)));
    page.on('console', (message) => {
      const text = message.text();
      // A status is a fault of what the page loads, below; that of the page itself is for the test to expect.
      const isStatus = text.startsWith('Failed to load resource');
      const isDrawn = this.#drawn !== undefined && text.startsWith('Applying inline style');
      if (message.type() === 'error' && !isStatus && !isDrawn) note(text);
    });
    page.on('requestfailed', (request) => {
      const { errorText = 'failed' } = request.failure() ?? {};
      // The stream of a page ends with the page, and so does a look at what is new that it has begun.
      const isLive = ['eventsource', 'fetch'].includes(request.resourceType());
      if (!isLive || errorText !== 'net::ERR_ABORTED') note(`${errorText}: ${request.url()}`);
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && origin !== new URL(page.url()).origin && !request.isNavigationRequest())
        note(`fetches ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400 && !response.request().isNavigationRequest())
        note(`${response.status()} ${response.url()}`);
    });
  }

  #assertNoFaults(): void {
    assert.deepEqual(this.#faults, []);
  }

  /** @param value of boxes the values of those that are ticked */
  async #fill(field: Locator, value: string | readonly string[]): Promise<void> {
    const first = field.first();
    for (const summary of await first.locator('xpath=ancestor::details[not(@open)]/summary').all())
      await this.#use(summary);
    const type = await first.getAttribute('type');
    if (type === 'checkbox' || type === 'radio') {
      for (const box of await field.all())
        if ([value].flat().includes((await box.getAttribute('value')) ?? 'on') !== (await box.isChecked()))
          await this.#use(box, 'Space');
    } else if ((await first.locator('option').count()) > 0) await this.#choose(first, String(value));
    else await this.#type(first, String(value));
  }

  /** The list of a select is drawn outside of the page, where no mouse of a test gets; the keyboard types the words of the choice. */
  async #choose(field: Locator, value: string): Promise<void> {
    if (this.#way.hand === 'mouse') await field.selectOption(value);
    else {
      await this.#tabTo(field);
      await this.page.keyboard.type(oneLine((await field.locator(`option[value="${value}"]`).textContent()) ?? ''));
    }
    assert.equal(await field.inputValue(), value);
  }

  async #type(field: Locator, value: string): Promise<void> {
    if (this.#way.hand === 'mouse') await field.click();
    else await this.#tabTo(field);
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.type(value);
  }

  /** @param key that a keyboard uses it by */
  async #use(target: Locator, key = 'Enter'): Promise<void> {
    if (this.#way.hand === 'mouse') return await target.click();
    await this.#tabTo(target);
    await this.page.keyboard.press(key);
  }

  async #tabTo(target: Locator): Promise<void> {
    const reached = target.and(this.page.locator(':focus'));
    for (let tabs = 0; tabs < MAX_TABS; tabs++) {
      if ((await reached.count()) > 0) return;
      await this.page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not lead to ${String(target)}`);
  }

  async #see(response: Response | null): Promise<Seen> {
    const { page } = this;
    const { pathname, search } = new URL(page.url());
    const texts = async (part: string): Promise<string[]> =>
      (await page.evaluate<string[]>(`(${textsOf})(${JSON.stringify(part)})`)).map(oneLine);
    // The browser moves the focus with the first frame that it draws.
    const first = page.locator('[autofocus]').first();
    if ((await first.count()) > 0) await first.and(page.locator(':focus')).waitFor();
    this.#assertNoFaults();
    return {
      status: response?.status() ?? assert.fail('the page was not fetched'),
      path: pathname + search,
      title: (await texts('h1')).join(' '),
      text: (await texts('main')).join(' '),
      notices: await texts('.notice'),
      focus: (await texts(':focus')).join(' '),
    };
  }
}

import assert from 'node:assert/strict';
import { DomUtils, parseDocument } from 'htmlparser2';
import { eventually } from './eventually.ts';
import { PATIENCE_MS } from './pasted.ts';
import { browserOf, WebBrowser, type WebPage } from './web-browser.ts';
import type { Press, Seen, Visitor, Way } from './visitor.ts';

type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number];

const isNamed = (element: Element): boolean =>
  DomUtils.textContent(element).trim() !== '' || (element.attribs['aria-label'] ?? '') !== '';

/** Somebody without a browser: pages are read and forms sent over HTTP. */
export class PlainVisitor implements Visitor {
  readonly #browser: WebBrowser;
  #page: WebPage | undefined;

  constructor({ cookie }: Pick<Way, 'cookie'>) {
    this.#browser = cookie === undefined ? new WebBrowser() : browserOf({ cookie });
  }

  open(path: string): Promise<Seen> {
    return this.#see(this.#browser.open(path));
  }

  press(button: string, press?: Press): Promise<Seen> {
    return this.#see(this.#here.press(button, press));
  }

  follow(link: string): Promise<Seen> {
    return this.#see(this.#here.follow(link));
  }

  /** Nothing brings a page up to date without its script, so it is loaded again. */
  async watch(words: RegExp): Promise<void> {
    const { path } = this.#here;
    await eventually(`${path} to say ${String(words)}`, async () => words.test((await this.open(path)).text), {
      seconds: PATIENCE_MS / 1_000,
    });
  }

  async look(): Promise<void> {}

  /** The part of accessibility that the HTML alone shows. */
  async assertUsable(): Promise<void> {
    const { html, path } = this.#here;
    const { children } = parseDocument(html);
    const all = (name: string): Element[] => DomUtils.getElementsByTagName(name, children, true);
    assert.equal(all('html')[0]?.attribs['lang'], 'en', path);
    for (const one of ['title', 'main', 'h1']) assert.equal(all(one).length, 1, `<${one}> of ${path}`);
    for (const element of [...all('button'), ...all('a'), ...all('title'), ...all('th')])
      assert(isNamed(element), `a <${element.name}> of ${path} has no text`);
    const fields = [...all('input'), ...all('select'), ...all('textarea')];
    for (const field of fields.filter(({ attribs }) => attribs['type'] !== 'hidden'))
      assert(
        all('label').some((label) => DomUtils.getElements({ tag_name: field.name }, label, true).includes(field)),
        `the field ${field.attribs['name']} of ${path} has no label`,
      );
    for (const image of all('img')) assert(image.attribs['alt'] !== undefined, `an image of ${path} has no alt`);
    const ids = DomUtils.find(({ type }) => type === 'tag', children, true, Infinity)
      .map((element) => (element as Element).attribs['id'])
      .filter((id) => id !== undefined);
    assert.deepEqual(ids, [...new Set(ids)], `an id of ${path} stands twice`);
    assert.doesNotMatch(html, /<script>|\son\w+=|\sstyle=/, path);
  }

  async close(): Promise<void> {
    this.#page = undefined;
  }

  get #here(): WebPage {
    assert(this.#page !== undefined, 'no page is open');
    return this.#page;
  }

  async #see(opening: Promise<WebPage>): Promise<Seen> {
    this.#page = await opening;
    const { status, path, title, text, notices, html } = this.#page;
    const isFirst = ({ attribs }: Element): boolean => attribs['autofocus'] !== undefined;
    const first = DomUtils.findOne(isFirst, parseDocument(html).children);
    const focus = first === null ? '' : DomUtils.textContent(first).replaceAll(/\s+/g, ' ').trim();
    return { status, path, title, text, notices, focus };
  }
}

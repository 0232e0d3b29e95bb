import assert from 'node:assert/strict';
import { DomUtils, parseDocument } from 'htmlparser2';
import { service } from './service.ts';

/** The parser's name for an element; its own name for it is of a package that only the parser depends on. */
type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number];

const text = (element: Element): string => DomUtils.textContent(element).replaceAll(/\s+/g, ' ').trim();
const within = (element: Parameters<typeof DomUtils.getElementsByTagName>[1], name: string): Element[] =>
  DomUtils.getElementsByTagName(name, element, true);

interface Press {
  /** The values that a person types or chooses, by the name of the field; of boxes those that are ticked. */
  fields?: Record<string, string | readonly string[]>;
  /** A text of the card that the button stands in, where there are several. */
  card?: string;
}

/** As a browser sends it; undefined: a box that is not ticked. */
function valueOfField(field: Element, given: string | readonly string[] | undefined): string | undefined {
  const { type = 'text', value = '', checked } = field.attribs;
  if (type === 'checkbox' || type === 'radio') {
    const ticked = given === undefined ? checked !== undefined : [given].flat().includes(value);
    return ticked ? value : undefined;
  }
  if (typeof given === 'string') return given;
  if (field.name === 'textarea') return text(field);
  if (field.name !== 'select') return value;
  const options = within(field, 'option');
  return (options.find(({ attribs }) => attribs['selected'] !== undefined) ?? options[0])?.attribs['value'] ?? '';
}

/** A page as a browser without scripts has it. */
export class WebPage {
  readonly status: number;
  /** With its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
  readonly #browser: WebBrowser;
  readonly #document: ReturnType<typeof parseDocument>;

  constructor(browser: WebBrowser, answer: { status: number; path: string; headers: Headers; html: string }) {
    this.#browser = browser;
    ({ status: this.status, path: this.path, headers: this.headers, html: this.html } = answer);
    this.#document = parseDocument(this.html);
  }

  /** The text that a person reads. */
  get text(): string {
    return within(this.#document, 'main').map(text).join(' ');
  }

  get title(): string {
    return within(this.#document, 'h1').map(text).join(' ');
  }

  /** Who is signed in, at the end of the header. */
  get account(): string {
    return within(this.#document, 'header').map(text).join(' ');
  }

  /** The texts of the cards. */
  get cards(): string[] {
    return within(this.#document, 'article').map(text);
  }

  /** The facts that were found out or done, and what was refused. */
  get notices(): string[] {
    const isNotice = ({ attribs }: Element): boolean => /\bnotice\b/.test(attribs['class'] ?? '');
    return DomUtils.findAll(isNotice, this.#document.children).map(text);
  }

  /** The buttons of a card, or of the page. */
  buttons(card = ''): string[] {
    return this.#places(card).flatMap((place) => within(place, 'button').map(text));
  }

  links(): { text: string; href: string }[] {
    return within(this.#document, 'a').map((link) => ({ text: text(link), href: link.attribs['href'] ?? '' }));
  }

  follow(linkText: string): Promise<WebPage> {
    const link = this.links().find((one) => one.text === linkText);
    assert(link !== undefined, `no link “${linkText}” in ${this.text}`);
    // An address that begins with its query is of the same path.
    return this.#browser.open(link.href.startsWith('?') ? this.path.replace(/\?.*$/, '') + link.href : link.href);
  }

  /** Sends the form of this button with all that it has, and follows where that leads. */
  press(button: string, { fields = {}, card = '' }: Press = {}): Promise<WebPage> {
    const { action, values } = this.#formOf(button, card, fields);
    return this.#browser.send(action, values);
  }

  /** The fields that `press` would send. */
  formOf(button: string, { fields = {}, card = '' }: Press = {}): { action: string; values: URLSearchParams } {
    return this.#formOf(button, card, fields);
  }

  #places(card: string): Element[] {
    const places = card === '' ? within(this.#document, 'body') : within(this.#document, 'article');
    const fitting = places.filter((place) => text(place).includes(card));
    assert(fitting.length === 1, `${fitting.length} cards have “${card}” in ${this.text}`);
    return fitting;
  }

  #formOf(button: string, card: string, fields: Required<Press>['fields']) {
    const forms = this.#places(card).flatMap((place) => within(place, 'form'));
    const form = forms.find((one) => within(one, 'button').some((found) => text(found).startsWith(button)));
    assert(form !== undefined, `no button “${button}” in ${this.text}`);
    assert.equal(form.attribs['method'], 'post');
    const values = new URLSearchParams();
    const all = ['input', 'textarea', 'select'].flatMap((kind) => within(form, kind));
    for (const field of all) {
      const { name = '', required } = field.attribs;
      const typed = valueOfField(field, fields[name]);
      assert(required === undefined || (typed ?? '') !== '', `${name} is to be filled in`);
      if (typed !== undefined) values.append(name, typed);
    }
    const strange = Object.keys(fields).filter((name) => !all.some(({ attribs }) => attribs['name'] === name));
    assert.deepEqual(strange, [], 'the form has no such fields');
    const pressed = within(form, 'button').find((found) => text(found).startsWith(button));
    if (pressed?.attribs['name'] !== undefined) values.append(pressed.attribs['name'], pressed.attribs['value'] ?? '');
    return { action: form.attribs['action'] ?? this.path, values };
  }
}

/** A browser without scripts: it keeps cookies, follows redirects and says where its forms come from. */
export class WebBrowser {
  readonly cookies = new Map<string, string>();
  readonly #baseUrl: string;

  constructor(baseUrl: string = service().baseUrl) {
    this.#baseUrl = baseUrl;
  }

  open(path: string, headers: Record<string, string> = {}): Promise<WebPage> {
    return this.#fetch(path, { headers });
  }

  /** @param headers `origin` says which page the form stands on; by default it is one of the service. */
  send(path: string, values: URLSearchParams, headers: Record<string, string> = {}): Promise<WebPage> {
    return this.#fetch(path, {
      method: 'POST',
      body: values,
      headers: { origin: new URL(this.#baseUrl).origin, ...headers },
    });
  }

  async #fetch(path: string, init: RequestInit): Promise<WebPage> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      accept: 'text/html',
      ...(init.headers as Record<string, string>),
      ...(cookie !== '' && { cookie }),
    };
    const response = await fetch(new URL(path, this.#baseUrl), { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) this.#keep(set);
    const location = response.headers.get('location');
    if (response.status === 303 && location !== null) {
      await response.body?.cancel();
      return await this.#fetch(location, {});
    }
    return new WebPage(this, { status: response.status, path, headers: response.headers, html: await response.text() });
  }

  #keep(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    if (/;\s*Max-Age=0\b/i.test(set)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** A browser in which this person is signed in already. @param cookie as `signIn` of people.ts gives it */
export function browserOf({ cookie }: { cookie: string }, baseUrl?: string): WebBrowser {
  const browser = new WebBrowser(baseUrl);
  const at = cookie.indexOf('=');
  browser.cookies.set(cookie.slice(0, at), cookie.slice(at + 1));
  return browser;
}

import { QuoteType, Tokenizer } from 'htmlparser2';
import type { Hiding, Run } from '../text/normalise.ts';
import { colorOf, lookOf, looksAlike, merged, sheetOf, type Look, type Sheet } from './style.ts';

/** Elements that nobody closes. */
const VOID = new Set(
  'area base br col embed hr img input link meta param source track wbr basefont frame keygen'.split(' '),
);
/** Elements whose text is not shown. */
const UNSHOWN = new Set(
  'script style template noscript head title noembed noframes object iframe datalist select audio video canvas svg math'.split(
    ' ',
  ),
);
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strike strong sub sup tt u var wbr'.split(
    ' ',
  ),
);
/** Attributes whose value no reader of a mail and no model takes as text, and that have a grammar of their own. */
const PLAIN_ATTRIBUTES = new Set(
  'class id style width height align valign border cellpadding cellspacing bgcolor color size face lang dir charset rel type role target colspan rowspan xmlns name'.split(
    ' ',
  ),
);
/** A value that is one word of letters, digits and signs; no order is that short. */
const ONE_WORD = /^[\w.:/#%?&=;,+@~-]*$/;
/** Elements inside one another whose look is remembered; what stands deeper has that of the last one. */
const MAX_DEPTH = 1_000;

interface Element {
  name: string;
  hidden: Hiding | undefined;
  color: string;
  background: string;
}

export interface HtmlRuns {
  visible: Run[];
  hidden: Run[];
}

/**
 * The texts of an HTML document: what is shown, in order; and what is not: hidden by style, comments, attributes, elements that are never shown. Time
 * and memory grow with the length of the text: a closing tag is looked for only where one of its name is open.
 */
export function runsOfHtml(html: string, field: number): HtmlRuns {
  const reader = new Reader(html, field);
  return reader.read();
}

class Reader {
  readonly #html: string;
  readonly #field: number;
  readonly #sheet: Sheet;
  readonly #visible: Run[] = [];
  readonly #hidden: Run[] = [];
  readonly #open: Element[] = [{ name: '', hidden: undefined, color: '#000000', background: '#ffffff' }];
  readonly #counts = new Map<string, number>();
  #apart = true;
  #name = '';
  #attribute = '';
  #attributes: { name: string; value: string; start: number; end: number }[] = [];
  #value = '';
  #valueStart = -1;
  #textEnd = 0;

  constructor(html: string, field: number) {
    this.#html = html;
    this.#field = field;
    this.#sheet = /<style/i.test(html) ? sheetOf(textOfStyles(html)) : new Map();
  }

  read(): HtmlRuns {
    const html = this.#html;
    const tokenizer = new Tokenizer(
      { decodeEntities: true },
      {
        ontext: (start, end) => {
          this.#textEnd = end;
          this.#text(start, end, undefined);
        },
        ontextentity: (point, end) => {
          this.#text(this.#textEnd, end, String.fromCodePoint(point));
          this.#textEnd = end;
        },
        onopentagname: (start, end) => {
          this.#name = html.slice(start, end).toLowerCase();
          this.#attributes = [];
        },
        onattribname: (start, end) => {
          this.#attribute = html.slice(start, Math.min(end, start + 60)).toLowerCase();
          if (end - start > 40) this.#aside(start, end, 'attribute');
          this.#value = '';
          this.#valueStart = -1;
        },
        onattribdata: (start, end) => {
          if (this.#valueStart < 0) this.#valueStart = start;
          this.#value += html.slice(start, end);
        },
        onattribentity: (point) => {
          this.#value += String.fromCodePoint(point);
        },
        onattribend: (quote, end) => {
          const start = this.#valueStart < 0 ? end : this.#valueStart;
          this.#attributes.push({
            name: this.#attribute,
            value: this.#value,
            start,
            end: quote === QuoteType.NoValue ? start : end,
          });
        },
        onopentagend: (end) => this.#openElement(end, false),
        onselfclosingtag: (end) => this.#openElement(end, true),
        onclosetag: (start, end) => {
          this.#textEnd = end + 1;
          this.#closeElement(html.slice(start, end).toLowerCase());
        },
        oncomment: (start, end, offset) => {
          this.#textEnd = end + 1;
          this.#aside(start, Math.max(start, end - offset), 'comment');
        },
        oncdata: (start, end, offset) => this.#aside(start, Math.max(start, end - offset), 'comment'),
        ondeclaration: (start, end) => {
          this.#textEnd = end + 1;
          this.#aside(start, end, 'comment');
        },
        onprocessinginstruction: (start, end) => this.#aside(start, end, 'comment'),
        onend: () => {},
      },
    );
    tokenizer.write(html);
    tokenizer.end();
    // A tag that never ends is text to nobody and to no parser; a model reads it all the same.
    const rest = Math.max(this.#textEnd, html.lastIndexOf('>') + 1);
    if (rest < html.length && html.indexOf('<', rest) >= 0) this.#aside(rest, html.length, 'unshown element');
    return { visible: this.#visible, hidden: this.#hidden };
  }

  get #element(): Element {
    return this.#open.at(-1) as Element;
  }

  #text(from: number, to: number, text: string | undefined): void {
    const [start, end] = [Math.max(0, from), Math.min(to, this.#html.length)];
    if (end <= start) return;
    const { hidden } = this.#element;
    const run: Run = { field: this.#field, start, end, hidden, apart: this.#apart };
    if (text !== undefined) run.text = text;
    if (hidden !== undefined) {
      this.#hidden.push(run);
      return;
    }
    this.#visible.push(run);
    this.#apart = false;
  }

  /** What the text ends in has places before or behind it, as the tokenizer reports them. */
  #aside(from: number, to: number, hidden: Hiding): void {
    const [start, end] = [Math.max(0, from), Math.min(to, this.#html.length)];
    if (end > start) this.#hidden.push({ field: this.#field, start, end, hidden, apart: true });
  }

  #openElement(end: number, selfClosing: boolean): void {
    const name = this.#name;
    this.#textEnd = end + 1;
    if (!INLINE.has(name)) this.#apart = true;
    const parent = this.#element;
    let look = this.#lookOfSheet(name);
    let hidden: Hiding | undefined = parent.hidden ?? (UNSHOWN.has(name) ? 'unshown element' : undefined);
    for (const { name: attribute, value, start, end: to } of this.#attributes) {
      if (attribute === 'style') look = merged(look, lookOf(value));
      else if (attribute === 'color')
        look = merged(look, { hides: false, color: colorOf(value), background: undefined });
      else if (attribute === 'bgcolor')
        look = merged(look, { hides: false, color: undefined, background: colorOf(value) });
      else if (attribute === 'hidden') hidden ??= 'unshown element';
      else if (attribute === 'aria-hidden' && value === 'true') hidden ??= 'unshown element';
      else if (attribute === 'size' && name === 'font' && value.trim() === '0') hidden ??= 'style';
      const isPlain = PLAIN_ATTRIBUTES.has(attribute) && value.length <= 200;
      if (!isPlain && !ONE_WORD.test(value)) this.#attributeText(start, to, value);
    }
    const color = look?.color ?? parent.color;
    const background =
      look?.background === undefined || look.background === 'transparent' ? parent.background : look.background;
    if (look?.hides || color === 'transparent' || looksAlike(color, background)) hidden ??= 'style';
    if (selfClosing || VOID.has(name)) return;
    if (this.#open.length > MAX_DEPTH) return;
    this.#open.push({ name, hidden, color, background });
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** A value without references stands there as it is; one with them is what they stand for. */
  #attributeText(start: number, end: number, value: string): void {
    if (this.#html.slice(start, end) === value) this.#aside(start, end, 'attribute');
    else {
      this.#aside(start, start + 1, 'attribute');
      let apart = true;
      for (const character of value) {
        this.#hidden.push({ field: this.#field, start, end, text: character, hidden: 'attribute', apart });
        apart = false;
      }
    }
  }

  #lookOfSheet(name: string): Look | undefined {
    if (this.#sheet.size === 0) return undefined;
    let look = this.#sheet.get(name);
    for (const { name: attribute, value } of this.#attributes) {
      if (attribute !== 'class' && attribute !== 'id') continue;
      const sign = attribute === 'class' ? '.' : '#';
      for (const one of value.toLowerCase().slice(0, 500).split(/\s+/))
        for (const found of [this.#sheet.get(sign + one), this.#sheet.get(name + sign + one)])
          if (found) look = merged(look, found);
    }
    return look;
  }

  #closeElement(name: string): void {
    if (!INLINE.has(name)) this.#apart = true;
    const count = this.#counts.get(name) ?? 0;
    if (count === 0) return;
    for (;;) {
      const closed = this.#open.pop() as Element;
      this.#counts.set(closed.name, (this.#counts.get(closed.name) ?? 1) - 1);
      if (closed.name === name) return;
    }
  }
}

/** What stands in style elements. */
function textOfStyles(html: string): string {
  const parts: string[] = [];
  const open = /<style[^>]{0,500}>/gi;
  const close = /<\/style/gi;
  for (let found = open.exec(html); found !== null; found = open.exec(html)) {
    close.lastIndex = open.lastIndex;
    const end = close.exec(html)?.index ?? html.length;
    parts.push(html.slice(open.lastIndex, end));
    // The search goes on behind the element, so nothing is read twice.
    open.lastIndex = end;
  }
  return parts
    .join('\n')
    .replaceAll(/\/\*[^*]{0,2000}\*\//g, ' ')
    .replaceAll('<!--', ' ')
    .replaceAll('-->', ' ');
}

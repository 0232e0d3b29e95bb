import { Tokenizer } from 'htmlparser2';
import type { Hiding, Run } from '../text/normalise.ts';
import {
  BLOCK,
  CLOSES_ITSELF,
  CLOSES_PARAGRAPH,
  KNOWN,
  KNOWN_ATTRIBUTES,
  LINK_ATTRIBUTES,
  NO_BOX,
  PLAIN_ATTRIBUTES,
  REPLACED,
  TEXT_ATTRIBUTES,
  TURN_ELEMENT,
  UNSHOWN,
  VOID,
} from './elements.ts';
import { colorOf, lookOf, looksAlike, merged, sheetOf, type Look, type Sheet } from './style.ts';

/** A value that is one short word of letters, digits and signs. */
const ONE_WORD = /^[\w.:/#%?&=;,+@~-]{0,12}$/;
const PLAIN_VALUE = /^[\w.#%-]{0,40}$/;
const LETTER = /[\p{L}\p{N}]/u;
/** Elements inside one another whose look is remembered; what stands deeper has that of the last one. */
const MAX_DEPTH = 1_000;

/** Texts that follow each other without a break as long as nothing ends. */
interface Stream {
  runs: Run[];
  apart: boolean;
}

interface Element {
  name: string;
  hidden: Hiding | undefined;
  color: string;
  background: string;
  /** Where its text goes. */
  stream: Stream;
  /** It is of those that begin a line. */
  begins: boolean;
  /** It has a place in the line in which it stands. */
  hasBox: boolean;
}

interface Attribute {
  name: string;
  nameStart: number;
  nameEnd: number;
  value: string;
  parts: Part[];
}

/** A part of a value; `text` is what a reference stands for. */
interface Part {
  start: number;
  end: number;
  text?: string;
}

export interface HtmlRuns {
  /** The text that is shown, as a browser joins it. */
  visible: Run[];
  /** The text that is not: hidden by style, comments, attributes, elements that are never shown. */
  hidden: Run[];
  /** Both in the order of the source, as who takes the tags away reads them; empty where that is what is shown. */
  whole: Run[];
}

/**
 * The texts of an HTML document. Words are joined across tags within a line, regardless of their names, and across what has no place in the line; what begins a line
 * divides them. Time and memory grow with the length of the text: a closing tag is looked for only where one of its name is open.
 */
export function runsOfHtml(html: string, field: number): HtmlRuns {
  return new Reader(html, field, false).read();
}

class Reader {
  readonly #html: string;
  readonly #field: number;
  readonly #isInside: boolean;
  readonly #sheet: Sheet;
  readonly #visible: Stream = { runs: [], apart: true };
  readonly #hidden: Stream = { runs: [], apart: true };
  readonly #whole: Stream = { runs: [], apart: true };
  /** Comments, attributes, and texts of elements that are never shown. */
  readonly #asides: Run[][] = [[]];
  readonly #open: Element[] = [
    {
      name: '',
      hidden: undefined,
      color: '#000000',
      background: '#ffffff',
      stream: this.#visible,
      begins: true,
      hasBox: true,
    },
  ];
  readonly #counts = new Map<string, number>();
  #isMixed = false;
  #name = '';
  #nameStart = 0;
  #attributes: Attribute[] = [];
  #attribute: Attribute | undefined;
  #textEnd = 0;

  /** @param isInside it is the text of a comment, whose comments are read no further */
  constructor(html: string, field: number, isInside: boolean) {
    this.#html = html;
    this.#field = field;
    this.#isInside = isInside;
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
          this.#nameStart = start;
          this.#attributes = [];
          if (!KNOWN.has(this.#name)) this.#aside(start, end, 'attribute');
        },
        onattribname: (start, end) => {
          const name = html.slice(start, Math.min(end, start + 60)).toLowerCase();
          this.#attribute = { name, nameStart: start, nameEnd: end, value: '', parts: [] };
        },
        onattribdata: (start, end) => {
          const last = this.#attribute?.parts.at(-1);
          if (last?.text !== undefined) last.end = start;
          this.#attribute?.parts.push({ start, end });
          if (this.#attribute) this.#attribute.value += html.slice(start, end);
        },
        onattribentity: (point) => {
          const attribute = this.#attribute as Attribute;
          const last = attribute.parts.at(-1);
          // Where it ends is known when the next part begins. Behind a name stand a sign and a quotation mark.
          const start = last?.end ?? Math.min(attribute.nameEnd + 2, html.length);
          const text = String.fromCodePoint(point);
          attribute.parts.push({ start, end: start + 1, text });
          attribute.value += text;
        },
        onattribend: (_, end) => {
          const attribute = this.#attribute as Attribute;
          const last = attribute.parts.at(-1);
          if (last?.text !== undefined) last.end = Math.max(end, last.start);
          this.#attributes.push(attribute);
        },
        onopentagend: (end) => this.#openElement(end, false),
        onselfclosingtag: (end) => this.#openElement(end, true),
        onclosetag: (start, end) => this.#closeTag(start, end),
        oncomment: (start, end, offset) => {
          this.#textEnd = end + 1;
          this.#comment(start, Math.max(start, end - offset));
        },
        oncdata: (start, end, offset) => this.#comment(start, Math.max(start, end - offset)),
        ondeclaration: (start, end) => {
          this.#textEnd = end + 1;
          this.#comment(start, end);
        },
        onprocessinginstruction: (start, end) => this.#comment(start, end),
        onend: () => {},
      },
    );
    tokenizer.write(html);
    tokenizer.end();
    // A tag that never ends is text to nobody and to no parser; a model reads it all the same.
    const rest = Math.max(this.#textEnd, html.lastIndexOf('>') + 1);
    if (rest < html.length && html.indexOf('<', rest) >= 0) this.#aside(rest, html.length, 'unshown element');
    return {
      visible: this.#visible.runs,
      hidden: [this.#hidden.runs, ...this.#asides].flat(),
      whole: this.#isMixed ? this.#whole.runs : [],
    };
  }

  get #element(): Element {
    return this.#open.at(-1) as Element;
  }

  #text(from: number, to: number, text: string | undefined): void {
    const { hidden, stream, name } = this.#element;
    const run = this.#run(from, to, { hidden, text });
    if (run === undefined) return;
    run.apart = stream.apart;
    stream.runs.push(run);
    stream.apart = false;
    // Hidden texts on two sides of a text do not follow each other.
    if (stream === this.#visible) this.#hidden.apart = true;
    else if (name === 'style' || name === 'script') return;
    else this.#isMixed = true;
    this.#inOrder(run);
  }

  #inOrder(run: Run): void {
    this.#whole.runs.push({ ...run, apart: this.#whole.apart });
    this.#whole.apart = false;
  }

  /** The element that the text ends in has places before or behind it, as the tokenizer reports them. */
  #run(
    from: number,
    to: number,
    { hidden, text }: { hidden: Hiding | undefined; text?: string | undefined },
  ): Run | undefined {
    const [start, end] = [Math.max(0, from), Math.min(to, this.#html.length)];
    if (end <= start) return undefined;
    const run: Run = { field: this.#field, start, end, hidden, apart: true };
    if (text !== undefined) run.text = text;
    return run;
  }

  #aside(from: number, to: number, hidden: Hiding): void {
    const run = this.#run(from, to, { hidden });
    if (run !== undefined) this.#asides[0]?.push(run);
  }

  /** A comment may hold HTML that some programs show. */
  #comment(from: number, to: number): void {
    const run = this.#run(from, to, { hidden: 'comment' });
    if (run === undefined) return;
    this.#asides[0]?.push(run);
    const text = this.#html.slice(run.start, run.end);
    if (!LETTER.test(text)) return;
    this.#isMixed = true;
    this.#whole.apart = true;
    this.#inOrder(run);
    this.#whole.apart = true;
    if (this.#isInside || !looksLikeHtml(text)) return;
    const { visible, hidden } = new Reader(text, this.#field, true).read();
    for (const inner of [visible, hidden])
      this.#asides.push(
        inner.map((one) => ({ ...one, start: one.start + run.start, end: one.end + run.start, hidden: 'comment' })),
      );
  }

  #openElement(end: number, isSelfClosing: boolean): void {
    const name = this.#name;
    this.#textEnd = end + 1;
    this.#turn(name, this.#nameStart - 1, end + 1);
    if (CLOSES_PARAGRAPH.has(name) && this.#element.name === 'p') this.#close('p');
    else if (CLOSES_ITSELF.has(name) && this.#element.name === name) this.#close(name);
    const parent = this.#element;
    let look = this.#lookOfSheet(name);
    let hidden: Hiding | undefined = parent.hidden ?? (UNSHOWN.has(name) ? 'unshown element' : undefined);
    let hasBox = !NO_BOX.has(name);
    for (const attribute of this.#attributes) {
      const { name: called, value } = attribute;
      if (called === 'style') look = merged(look, lookOf(value));
      else if (called === 'color') look = merged(look, { hides: false, color: colorOf(value), background: undefined });
      else if (called === 'bgcolor')
        look = merged(look, { hides: false, color: undefined, background: colorOf(value) });
      else if (called === 'hidden') {
        hidden ??= 'unshown element';
        hasBox = false;
      } else if (called === 'aria-hidden' && value === 'true') hidden ??= 'unshown element';
      else if (called === 'size' && name === 'font' && value.trim() === '0') hidden ??= 'style';
      this.#attributeText(attribute);
    }
    const color = look?.color ?? parent.color;
    const background =
      look?.background === undefined || look.background === 'transparent' ? parent.background : look.background;
    if (look?.hides || color === 'transparent' || looksAlike(color, background)) hidden ??= 'style';
    if (look?.hides && look.leavesLine) hasBox = false;
    const begins = look?.begins ?? BLOCK.has(name);
    const stream = this.#streamOf(parent, { name, hidden, hasBox });
    if (begins) {
      if (hasBox) parent.stream.apart = true;
      if (stream !== this.#visible) stream.apart = true;
      this.#whole.apart = true;
    }
    if (REPLACED.has(name)) this.#replaced(end);
    if (VOID.has(name)) return;
    // Outside of drawings and formulas the sign that closes a tag by itself means nothing.
    if (isSelfClosing && (this.#counts.get('svg') ?? 0) + (this.#counts.get('math') ?? 0) > 0) return;
    if (this.#open.length > MAX_DEPTH) return;
    this.#open.push({ name, hidden, color, background, stream, begins, hasBox });
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** A text that has no place in what is hidden already is a text of its own, as what is never shown: neither stands between the words of another. */
  #streamOf(parent: Element, { name, hidden, hasBox }: Pick<Element, 'name' | 'hidden' | 'hasBox'>): Stream {
    if (hidden === undefined) return parent.stream;
    if (!UNSHOWN.has(name)) {
      if (parent.hidden === undefined) return this.#hidden;
      if (hasBox) return parent.stream;
    }
    const stream: Stream = { runs: [], apart: true };
    this.#asides.push(stream.runs);
    return stream;
  }

  /** A picture joins the letters around it where it is too small to be seen, and divides words where it is not: both are read. */
  #replaced(end: number): void {
    this.#whole.apart = true;
    const before = this.#html[this.#nameStart - 2] ?? '';
    if (LETTER.test(before) && LETTER.test(this.#html[end + 1] ?? '')) this.#isMixed = true;
  }

  /** A tag that poses as another turn of a conversation stands in the text where it stands. */
  #turn(name: string, from: number, to: number): void {
    if (!TURN_ELEMENT.test(name)) return;
    const { hidden, stream } = this.#element;
    const run = this.#run(from, to, { hidden });
    if (run === undefined) return;
    stream.runs.push(run);
    stream.apart = true;
  }

  #attributeText({ name, nameStart, nameEnd, value, parts }: Attribute): void {
    const isKnown = KNOWN_ATTRIBUTES.has(name);
    if (!isKnown) this.#aside(nameStart, nameEnd, 'attribute');
    const isText = TEXT_ATTRIBUTES.has(name) || !isKnown;
    if (value === '' || (PLAIN_ATTRIBUTES.has(name) && PLAIN_VALUE.test(value))) return;
    if (!isText && ONE_WORD.test(value)) return;
    const isShownSomewhere = TEXT_ATTRIBUTES.has(name) && LETTER.test(value);
    if (isShownSomewhere) {
      this.#isMixed = true;
      this.#whole.apart = true;
    }
    let apart = true;
    for (const { start, end, text } of parts) {
      const run = this.#run(start, end, { hidden: LINK_ATTRIBUTES.has(name) ? 'link' : 'attribute', text });
      if (run === undefined) continue;
      run.apart = apart;
      apart = false;
      this.#asides[0]?.push(run);
      if (isShownSomewhere) this.#inOrder(run);
    }
    if (isShownSomewhere) this.#whole.apart = true;
    if (!this.#isInside && looksLikeHtml(value)) this.#valueHtml(value, parts);
  }

  /** A document in a value (`srcdoc`). Where a unit of it stands is known as long as no reference stands before it; the rest is named by the whole value. */
  #valueHtml(value: string, parts: readonly Part[]): void {
    const { start } = parts[0] ?? { start: 0 };
    const end = parts.at(-1)?.end ?? start;
    const isPlain = parts.length === 1 && parts[0]?.text === undefined;
    const { visible, hidden } = new Reader(value, this.#field, true).read();
    for (const inner of [visible, hidden])
      this.#asides.push(
        inner.flatMap((run) =>
          isPlain
            ? [{ ...run, start: run.start + start, end: run.end + start, hidden: 'attribute' as const }]
            : Array.from(run.text ?? value.slice(run.start, run.end), (text, index) => ({
                field: this.#field,
                start,
                end,
                text,
                hidden: 'attribute' as const,
                apart: index === 0 && run.apart,
              })),
        ),
      );
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

  #closeTag(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    const found = this.#html.indexOf('>', end);
    const last = found < 0 ? this.#html.length : found;
    this.#textEnd = last + 1;
    if (!KNOWN.has(name)) this.#aside(start, end, 'attribute');
    // Behind the name of a closing tag nothing has a meaning, and all may stand.
    if (last > end) this.#aside(end, last, 'attribute');
    this.#turn(name, start - 2, last + 1);
    if ((this.#counts.get(name) ?? 0) > 0) this.#close(name);
    else if (name === 'p' || name === 'br') {
      // An element that was never opened is no element, but for these two.
      this.#element.stream.apart = true;
      this.#whole.apart = true;
    }
  }

  #close(name: string): void {
    for (;;) {
      const closed = this.#open.pop() as Element;
      this.#counts.set(closed.name, (this.#counts.get(closed.name) ?? 1) - 1);
      if (closed.begins) {
        if (closed.hasBox) this.#element.stream.apart = true;
        if (closed.stream !== this.#visible) closed.stream.apart = true;
        this.#whole.apart = true;
      }
      if (closed.name === name) return;
    }
  }
}

/** A tag, a comment or a declaration stands in it; an address in angle brackets is none. */
const TAG = /<\/?[a-z][a-z0-9:-]{0,40}(?:\s[^<>@]{0,200}=|\s{0,20}\/?>)|<!--|<!doctype/i;

export const looksLikeHtml = (text: string): boolean => TAG.test(text);

/** The text of style elements. */
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

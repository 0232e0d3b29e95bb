import type { Field } from '../../reading/body.ts';
import { foldPoint, isInvisible, kinds, LETTER, SEPARATOR, type Folded } from './characters.ts';

/** How a text is kept from the reader of the message. */
export type Hiding = 'style' | 'attribute' | 'link' | 'comment' | 'unshown element';

/** A part of a field in the order in which it is read. */
export interface Run {
  field: number;
  /** Code units of the field. */
  start: number;
  end: number;
  /** The text that it stands for, where that is not what stands there: a character reference. */
  text?: string;
  hidden: Hiding | undefined;
  /** Something ends before it: a line, a cell, another place. */
  apart: boolean;
}

/** Invisible characters that stand together. */
export interface Invisible {
  /** Unit of the normalised text before which they stand. */
  at: number;
  /** Code units of the source, counted through all fields. */
  start: number;
  end: number;
  count: number;
  /** Between two Latin letters, where no script needs one. */
  splitsWord: boolean;
  /** The characters themselves, as many as are kept. */
  characters: string;
}

/** All that is scanned as one text, and where each unit of it is from. */
export interface NormalText {
  length: number;
  /** Units as they are read, case kept; and as they are matched. Both have the same places. */
  shown: Uint16Array;
  folded: Uint16Array;
  /** Where a unit is from: code units counted through all fields, and how many of them it stands for. */
  from: Int32Array;
  width: Uint8Array;
  fields: readonly Field[];
  /** First unit of the source of each field. */
  bases: readonly number[];
  /** Parts of the normalised text that nobody sees, in order. */
  hidden: { start: number; end: number; how: Hiding }[];
  invisible: Invisible[];
  /** Compatibility forms would have made the text longer than its bound; from there on they were cut. */
  cut: boolean;
}

const SPACE = 0x20;
const LINE_FEED = 0x0a;
/** Compatibility forms may make a text this much longer; one character becomes 18 at most. */
const GROWTH = 65_536;
/** Invisible characters of one place that are kept: 4,096 letters, of eight bits each. */
export const MAX_INVISIBLE = 32_768;

/** Memory for a normalised text, to be used again: fresh memory of the system cost as much time as what is written into it. */
export class Workspace {
  #shown = new Uint16Array(0);
  #folded = new Uint16Array(0);
  #from = new Int32Array(0);
  #width = new Uint8Array(0);

  /** Memory for so many units; what was lent before is overwritten. */
  lend(units: number): Pick<NormalText, 'shown' | 'folded' | 'from' | 'width'> {
    if (this.#shown.length < units) {
      const size = units <= KEPT ? Math.min(KEPT, units * 2) : units;
      const made = {
        shown: new Uint16Array(size),
        folded: new Uint16Array(size),
        from: new Int32Array(size),
        width: new Uint8Array(size),
      };
      if (size > KEPT) return made;
      this.#shown = made.shown;
      this.#folded = made.folded;
      this.#from = made.from;
      this.#width = made.width;
    }
    return { shown: this.#shown, folded: this.#folded, from: this.#from, width: this.#width };
  }
}

export interface Memory {
  /** The facts that were learned of characters. */
  cache: Map<number, Folded>;
  workspace: Workspace;
}

/** Units for which memory is kept, nine bytes each: a body of 4 MiB. Larger ones are rare. */
const KEPT = 4_194_304;

/** Joins the runs into one text; white space is one space, or one line feed where it holds one or where something is apart. */
export function normalise(fields: readonly Field[], runs: readonly Run[], { cache, workspace }: Memory): NormalText {
  return new Normaliser(fields, runs, { cache, workspace }).text();
}

class Normaliser {
  readonly #fields: readonly Field[];
  readonly #bases: number[] = [];
  readonly #capacity: number;
  readonly #shown: Uint16Array;
  readonly #folded: Uint16Array;
  readonly #from: Int32Array;
  readonly #width: Uint8Array;
  readonly #hidden: NormalText['hidden'] = [];
  readonly #invisible: Invisible[] = [];
  readonly #cache: Map<number, Folded>;
  #length = 0;
  /** Units that the text may have when the run is done, so that those that follow have room. */
  #bound = 0;
  #cut = false;

  constructor(fields: readonly Field[], runs: readonly Run[], { cache, workspace }: Memory) {
    this.#fields = fields;
    this.#cache = cache;
    let base = 0;
    for (const { text } of fields) {
      this.#bases.push(base);
      base += text.length + 1;
    }
    const units = runs.reduce((sum, run) => sum + (run.text?.length ?? run.end - run.start) + 1, 0);
    this.#capacity = units + Math.min(GROWTH, units * 4 + 64);
    const { shown, folded, from, width } = workspace.lend(this.#capacity);
    this.#shown = shown;
    this.#folded = folded;
    this.#from = from;
    this.#width = width;
    let left = units;
    for (const run of runs) {
      left -= (run.text?.length ?? run.end - run.start) + 1;
      this.#bound = this.#capacity - left;
      this.#add(run);
    }
  }

  text(): NormalText {
    return {
      length: this.#length,
      shown: this.#shown.subarray(0, this.#length),
      folded: this.#folded.subarray(0, this.#length),
      from: this.#from.subarray(0, this.#length),
      width: this.#width.subarray(0, this.#length),
      fields: this.#fields,
      bases: this.#bases,
      hidden: this.#hidden,
      invisible: this.#invisible,
      cut: this.#cut,
    };
  }

  #add(run: Run): void {
    const base = (this.#bases[run.field] ?? 0) + run.start;
    if (run.apart) this.#space(true, base, 0);
    const before = this.#length;
    if (run.text === undefined) this.#addText(run, base);
    else this.#addReference(run.text, base, run.end - run.start);
    if (run.hidden === undefined || this.#length === before) return;
    const last = this.#hidden.at(-1);
    if (last?.end === before && last.how === run.hidden) last.end = this.#length;
    else this.#hidden.push({ start: before, end: this.#length, how: run.hidden });
  }

  #addText({ field, start, end }: Run, base: number): void {
    const text = this.#fields[field]?.text ?? '';
    const shown = this.#shown;
    const folded = this.#folded;
    const from = this.#from;
    const width = this.#width;
    // The length is kept in a variable while characters are plain: a write to a member for each took a third of the time.
    let to = this.#length;
    let before = to === 0 ? SPACE : (folded[to - 1] as number);
    for (let at = start; at < end; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit > SPACE && unit < 0x7f) {
        before = unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
        shown[to] = unit;
        folded[to] = before;
        from[to] = base + at - start;
        width[to] = 1;
        to += 1;
      } else if (unit === SPACE && before !== SPACE && before !== LINE_FEED) {
        before = SPACE;
        shown[to] = SPACE;
        folded[to] = SPACE;
        from[to] = base + at - start;
        width[to] = 1;
        to += 1;
      } else {
        this.#length = to;
        if (unit <= SPACE) this.#space(unit === LINE_FEED || unit === 0x0d, base + at - start, 1);
        else {
          const point = text.codePointAt(at) ?? unit;
          const units = point > 0xffff ? 2 : 1;
          this.#addPoint(point, base + at - start, units);
          at += units - 1;
        }
        to = this.#length;
        before = to === 0 ? SPACE : (folded[to - 1] as number);
      }
    }
    this.#length = to;
  }

  #addReference(text: string, base: number, width: number): void {
    const point = text.codePointAt(0) ?? SPACE;
    if (point <= SPACE || point === 0xa0) this.#space(point === LINE_FEED, base, width);
    else this.#addPoint(point, base, width);
  }

  #addPoint(point: number, base: number, width: number): void {
    if (isInvisible(point)) {
      this.#addInvisible(point, base, width);
      return;
    }
    let both = this.#cache.get(point);
    if (both === undefined) {
      both = point < 128 ? asciiOf(point) : foldPoint(point);
      this.#cache.set(point, both);
    }
    const { shown, folded } = both;
    if (folded === '' || /^\s+$/.test(folded)) {
      if (folded !== '') this.#space(point === 0x2028 || point === 0x2029 || point === 0x85, base, width);
      return;
    }
    const wanted = Math.max(shown.length, folded.length);
    const room = this.#bound - this.#length;
    if (wanted > room) this.#cut = true;
    const count = Math.min(wanted, Math.max(room, 0));
    for (let at = 0; at < count; at += 1) {
      const to = this.#length;
      // Both have the same places: the shorter one is filled with its last unit, or with what is matched.
      this.#shown[to] = at < shown.length ? shown.charCodeAt(at) : folded.charCodeAt(at);
      this.#folded[to] = at < folded.length ? folded.charCodeAt(at) : SPACE;
      this.#from[to] = base;
      this.#width[to] = Math.min(width, 255);
      this.#length = to + 1;
    }
  }

  #space(isLine: boolean, base: number, width: number): void {
    const last = this.#length - 1;
    const before = this.#folded[last];
    if (before === LINE_FEED) return;
    if (before === SPACE) {
      if (isLine) {
        this.#folded[last] = LINE_FEED;
        this.#shown[last] = LINE_FEED;
      }
      return;
    }
    if (this.#length === 0 || this.#length >= this.#capacity) return;
    this.#folded[this.#length] = isLine ? LINE_FEED : SPACE;
    this.#shown[this.#length] = isLine ? LINE_FEED : SPACE;
    this.#from[this.#length] = base;
    this.#width[this.#length] = width;
    this.#length += 1;
  }

  #addInvisible(point: number, base: number, width: number): void {
    const last = this.#invisible.at(-1);
    if (last && last.at === this.#length && last.end === base) {
      last.end = base + width;
      last.count += 1;
      if (last.count <= MAX_INVISIBLE) last.characters += String.fromCodePoint(point);
      return;
    }
    const before = this.#folded[this.#length - 1] ?? 0;
    this.#invisible.push({
      at: this.#length,
      start: base,
      end: base + width,
      count: 1,
      // Whether a Latin letter follows is seen when it is there: the reader of the list looks at the unit at `at`.
      splitsWord: before < 128 && (kinds[before] ?? SEPARATOR) === LETTER,
      characters: String.fromCodePoint(point),
    });
  }
}

const asciiOf = (point: number): Folded => {
  const shown = String.fromCharCode(point);
  return { shown, folded: shown.toLowerCase() };
};

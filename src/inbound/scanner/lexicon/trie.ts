import { foldText, kinds, LETTER, SEPARATOR, UNSPACED } from '../text/characters.ts';

/** A term of a lexicon: where it begins and ends in the text, and the number of its concept. */
export interface Hits {
  count: number;
  start: Int32Array;
  end: Int32Array;
  concept: Uint8Array;
}

/** Separators that may stand between two words of a term: "ignore - **all**", a quoted line. */
const MAX_SEPARATORS = 8;
const CLASS_SEPARATOR = 1;
const STAR = 0x2a;
const ZERO = 0x30;
const NINE = 0x39;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
/** Digits and signs that are written for letters; looked at only where the lexicon has no such digit. */
const leet: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'il',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Whether a word of nothing but digits begins here. */
function isNumber(text: Uint16Array, start: number): boolean {
  let at = start;
  while ((text[at] as number) >= ZERO && (text[at] as number) <= NINE) at += 1;
  const following = text[at] ?? 0;
  return at > start && kinds[following] === SEPARATOR && leet[String.fromCharCode(following)] === undefined;
}

/**
 * Finds the terms of a lexicon in a text, in one pass: a walk begins where a word does, and ends after the length of the longest term. A term that
 * ends in `*` is the beginning of a word, others are whole words; in scripts without spaces each is found anywhere.
 */
export class Trie {
  /** By code unit: 0 is in no term. */
  readonly #classes = new Uint16Array(65_536);
  #classCount = 2;
  /** Open addressing: node * 2^11 + class, plus one; and the node it leads to. */
  #keys = new Int32Array(0);
  #nodes = new Int32Array(0);
  #mask = 0;
  /** By code unit, where the first step of a walk leads: most walks end there. */
  readonly #first = new Int32Array(65_536);
  /** The pairs of small Latin letters that a term begins with. */
  readonly #pairs = new Uint8Array(16_384);
  /** And the triples: five bits a letter. Half of the walks end here. */
  readonly #triples = new Uint8Array(32_768);
  /** By node, a set of concepts: whole words, and beginnings of words. */
  #whole: Uint32Array[] = [];
  #begins: Uint32Array[] = [];
  readonly #leet: Int32Array = new Int32Array(128);
  readonly #leetOther: Int32Array = new Int32Array(128);

  /** @param terms by the number of their concept, each spelled as a person writes it */
  constructor(terms: readonly (readonly string[])[]) {
    const edges = new Map<number, number>();
    const whole: number[][] = [[]];
    const begins: number[][] = [[]];
    for (const [concept, ofConcept] of terms.entries())
      for (const term of ofConcept) {
        const isBeginning = term.endsWith('*');
        const folded = foldText(isBeginning ? term.slice(0, -1) : term);
        if (kinds[folded.charCodeAt(0)] === SEPARATOR || kinds[folded.charCodeAt(folded.length - 1)] === SEPARATOR)
          throw new TypeError(`The term "${term}" begins or ends with what stands between words.`);
        const node = this.#insert(folded, edges, { whole, begins });
        (isBeginning ? begins : whole)[node]?.push(concept);
      }
    this.#compile(edges);
    this.#whole = whole.map((concepts) => Uint32Array.from(concepts));
    this.#begins = begins.map((concepts) => Uint32Array.from(concepts));
    for (let unit = 0; unit < 65_536; unit += 1) this.#first[unit] = this.#step(0, this.#classes[unit] as number);
    for (let first = SMALL_A; first <= SMALL_Z; first += 1)
      for (let second = SMALL_A; second <= SMALL_Z; second += 1) {
        const node = this.#step(this.#first[first] as number, this.#classes[second] as number);
        if (node === 0) continue;
        this.#pairs[first * 128 + second] = 1;
        // A term of two letters may be all that is found, no matter what follows.
        const isTerm = whole[node]?.length !== 0 || begins[node]?.length !== 0;
        for (let third = SMALL_A; third <= SMALL_Z; third += 1)
          if (isTerm || this.#step(node, this.#classes[third] as number) !== 0)
            this.#triples[tripleOf(first, second, third)] = 1;
      }
    for (const [digit, letters] of Object.entries(leet)) {
      this.#leet[digit.charCodeAt(0)] = this.#classes[letters.charCodeAt(0)] ?? 0;
      this.#leetOther[digit.charCodeAt(0)] = this.#classes[letters.charCodeAt(letters.length - 1)] ?? 0;
    }
  }

  /** @param text folded; @param everywhere a walk begins at each letter, for texts whose spaces are lost */
  find(text: Uint16Array, everywhere = false): Hits {
    const found = new Found();
    const search = { text, found };
    const { length } = text;
    const first = this.#first;
    const pairs = this.#pairs;
    const triples = this.#triples;
    let before = SEPARATOR;
    for (let at = 0; at < length; at += 1) {
      const unit = text[at] as number;
      const kind = kinds[unit] as number;
      if (!everywhere && kind === LETTER && before === LETTER) continue;
      const next = text[at + 1] as number;
      if (unit > 64 && kind !== SEPARATOR && first[unit] === 0) {
        // No term begins like this, and no digit stands for a letter that one begins with.
      } else if (
        unit >= SMALL_A &&
        unit <= SMALL_Z &&
        next >= SMALL_A &&
        next <= SMALL_Z &&
        (pairs[unit * 128 + next] === 0 || isNoTriple(triples, text, at))
      ) {
        // Nor like this.
      } else if (kind === UNSPACED || (everywhere && kind !== SEPARATOR)) this.#walk(at, everywhere, search);
      else if (before !== LETTER && (kind === LETTER || this.#leet[unit & 127] !== 0)) this.#walk(at, false, search);
      before = kind;
    }
    return found.hits();
  }

  #walk(start: number, everywhere: boolean, { text, found }: { text: Uint16Array; found: Found }): void {
    let node = 0;
    let separators = 0;
    for (let at = start; at < text.length; at += 1) {
      const unit = text[at] as number;
      const kind = kinds[unit] as number;
      let next: number;
      if (kind === SEPARATOR) {
        const asLetter = unit < 128 ? (this.#leet[unit] as number) : 0;
        const following = text[at + 1] ?? 0;
        next = asLetter !== 0 && kinds[following] === LETTER ? this.#step(node, asLetter) : 0;
        if (next === 0) {
          if (separators > 0) {
            separators += 1;
            if (separators > MAX_SEPARATORS) return;
            continue;
          }
          next = this.#step(node, CLASS_SEPARATOR);
          if (next === 0) return;
          separators = 1;
          node = next;
          continue;
        }
      } else {
        next = this.#step(node, this.#classes[unit] as number);
        // Digits that are a word are a number: nobody reads "14" as letters.
        if (next === 0 && unit < 128 && !((at === start || separators > 0) && isNumber(text, at))) {
          next = this.#step(node, this.#leet[unit] as number);
          if (next === 0) next = this.#step(node, this.#leetOther[unit] as number);
        }
        if (next === 0) return;
      }
      separators = 0;
      node = next;
      const begins = this.#begins[node] as Uint32Array;
      for (const concept of begins) found.add(start, at + 1, concept);
      const whole = this.#whole[node] as Uint32Array;
      if (whole.length === 0) continue;
      const after = text[at + 1];
      if (!everywhere && after !== undefined && kind === LETTER && kinds[after] === LETTER) continue;
      for (const concept of whole) found.add(start, at + 1, concept);
    }
  }

  #step(node: number, ofClass: number): number {
    if (ofClass === 0) return 0;
    const key = node * 2_048 + ofClass + 1;
    let slot = (Math.imul(key, 0x9e3779b1) >>> 7) & this.#mask;
    for (;;) {
      const there = this.#keys[slot] as number;
      if (there === key) return this.#nodes[slot] as number;
      if (there === 0) return 0;
      slot = (slot + 1) & this.#mask;
    }
  }

  #insert(
    term: string,
    edges: Map<number, number>,
    { whole, begins }: { whole: number[][]; begins: number[][] },
  ): number {
    let node = 0;
    let before = SEPARATOR;
    for (let at = 0; at < term.length; at += 1) {
      const unit = term.charCodeAt(at);
      const kind = kinds[unit] as number;
      if (unit === STAR) throw new TypeError(`The term "${term}" has its star inside.`);
      if (kind === SEPARATOR && before === SEPARATOR) continue;
      before = kind;
      const ofClass = kind === SEPARATOR ? CLASS_SEPARATOR : this.#classOf(unit);
      const key = node * 2_048 + ofClass + 1;
      let next = edges.get(key);
      if (next === undefined) {
        next = whole.length;
        whole.push([]);
        begins.push([]);
        edges.set(key, next);
      }
      node = next;
    }
    return node;
  }

  #classOf(unit: number): number {
    const known = this.#classes[unit] as number;
    if (known !== 0) return known;
    const ofClass = this.#classCount;
    if (ofClass >= 2_047) throw new RangeError('The lexicon has more than 2,045 different letters.');
    this.#classCount += 1;
    this.#classes[unit] = ofClass;
    return ofClass;
  }

  /** The table is a quarter full, so that a step that leads nowhere ends immediately. */
  #compile(edges: Map<number, number>): void {
    const size = 2 ** Math.ceil(Math.log2(edges.size * 4 + 4));
    this.#mask = size - 1;
    this.#keys = new Int32Array(size);
    this.#nodes = new Int32Array(size);
    for (const [key, node] of edges) {
      let slot = (Math.imul(key, 0x9e3779b1) >>> 7) & this.#mask;
      while (this.#keys[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#keys[slot] = key;
      this.#nodes[slot] = node;
    }
  }
}

const tripleOf = (first: number, second: number, third: number): number =>
  ((first & 31) << 10) | ((second & 31) << 5) | (third & 31);

/** Two small letters and a third one that no term begins with. */
function isNoTriple(triples: Uint8Array, text: Uint16Array, at: number): boolean {
  const third = text[at + 2] as number;
  if (!(third >= SMALL_A && third <= SMALL_Z)) return false;
  return triples[tripleOf(text[at] as number, text[at + 1] as number, third)] === 0;
}

/** Finds the longest of several terms of one concept that begin at one place. */
class Found {
  #count = 0;
  #start = new Int32Array(256);
  #end = new Int32Array(256);
  #concept = new Uint8Array(256);

  add(start: number, end: number, concept: number): void {
    for (let at = this.#count - 1; at >= 0 && this.#start[at] === start; at -= 1)
      if (this.#concept[at] === concept) {
        this.#end[at] = Math.max(end, this.#end[at] as number);
        return;
      }
    if (this.#count === this.#start.length) this.#grow();
    this.#start[this.#count] = start;
    this.#end[this.#count] = end;
    this.#concept[this.#count] = concept;
    this.#count += 1;
  }

  hits(): Hits {
    const length = this.#count;
    return {
      count: length,
      start: this.#start.subarray(0, length),
      end: this.#end.subarray(0, length),
      concept: this.#concept.subarray(0, length),
    };
  }

  #grow(): void {
    const size = this.#start.length * 2;
    const grown = <Numbers extends Int32Array | Uint8Array>(made: Numbers, old: Numbers): Numbers => {
      made.set(old);
      return made;
    };
    this.#start = grown(new Int32Array(size), this.#start);
    this.#end = grown(new Int32Array(size), this.#end);
    this.#concept = grown(new Uint8Array(size), this.#concept);
  }
}

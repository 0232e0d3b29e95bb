/** Reads what a declaration block does to an element, as far as it decides whether anybody sees its text. */
export interface Look {
  hides: boolean;
  /** As `#rrggbb`, where it can be read. */
  color: string | undefined;
  background: string | undefined;
  /** Whether it begins a line; undefined: as its element does. */
  begins?: boolean;
  /** It has no place in the line in which it stands. */
  leavesLine?: boolean;
}

const named: Readonly<Record<string, string>> = {
  white: '#ffffff',
  black: '#000000',
  transparent: 'transparent',
  snow: '#fffafa',
  ivory: '#fffff0',
  ghostwhite: '#f8f8ff',
  whitesmoke: '#f5f5f5',
  red: '#ff0000',
  blue: '#0000ff',
  green: '#008000',
  gray: '#808080',
  grey: '#808080',
  yellow: '#ffff00',
  silver: '#c0c0c0',
  navy: '#000080',
};

/** Declarations longer than this are cut; none of those that hide is. */
const MAX_VALUE = 200;

/** @param style the text of a style attribute or of one rule */
export function lookOf(style: string): Look {
  const look: Look = { hides: false, color: undefined, background: undefined };
  let isPositioned = false;
  let isFar = false;
  let noOverflow = false;
  let isFlat = false;
  for (const declaration of style.split(';')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const name = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration
      .slice(colon + 1, colon + 1 + MAX_VALUE)
      .replace(/!important/i, '')
      .trim()
      .toLowerCase();
    switch (name) {
      case 'display':
        if (value === 'none') {
          look.hides = true;
          look.leavesLine = true;
        } else look.begins = !/^(?:inline|contents|ruby)/.test(value);
        break;
      case 'visibility':
        if (value === 'hidden' || value === 'collapse') look.hides = true;
        break;
      case 'mso-hide':
        if (value === 'all') look.hides = true;
        break;
      case 'opacity':
        if (Number.parseFloat(value) <= (value.endsWith('%') ? 5 : 0.05)) look.hides = true;
        break;
      case 'font-size':
      case 'font':
        if (isTiny(value)) look.hides = true;
        break;
      case 'color':
      case '-webkit-text-fill-color':
        look.color = colorOf(value);
        if (look.color === 'transparent') look.hides = true;
        break;
      case 'background':
      case 'background-color':
        look.background = colorOf(value.split(' ', 1)[0] ?? '') ?? colorOf(value);
        break;
      case 'position':
        isPositioned = value === 'absolute' || value === 'fixed';
        look.leavesLine ||= isPositioned;
        break;
      case 'left':
      case 'top':
      case 'right':
      case 'bottom':
      case 'margin-left':
      case 'margin-top':
        if (pixelsOf(value) <= -500) isFar = true;
        break;
      case 'text-indent':
        if (Math.abs(pixelsOf(value)) >= 500) look.hides = true;
        break;
      case 'clip':
        if (/^rect\(\s*(0|1)(px)?[ ,]/.test(value)) look.hides = true;
        break;
      case 'clip-path':
        if (/^(inset\(\s*(100|5\d)%|circle\(\s*0|polygon\(\s*0(px|%)? 0(px|%)?\s*\))/.test(value)) look.hides = true;
        break;
      case 'transform':
        if (/scale[xy]?\(\s*0(\.0+)?\s*[,)]/.test(value) || /translate[xy3d]{0,2}\(\s*-\d{3,}/.test(value))
          look.hides = true;
        break;
      case 'height':
      case 'max-height':
      case 'width':
      case 'max-width':
        if (/^[01](\.\d+)?(px|em|rem|pt|%)?$/.test(value)) isFlat = true;
        break;
      case 'overflow':
        noOverflow = value === 'hidden';
        break;
      case 'line-height':
        if (/^0(px|em|%)?$/.test(value)) isFlat = true;
        break;
    }
  }
  if ((isFar && isPositioned) || (isFlat && noOverflow)) look.hides = true;
  return look;
}

/** A size that nobody reads: below 2 pixels. */
function isTiny(value: string): boolean {
  const size = /(?:^|\s)(\d{0,6}\.?\d{0,6})(px|pt|em|rem|%)?(?:\s|\/|$)/.exec(value);
  if (size?.[1] === undefined || size[1] === '' || size[1] === '.') return false;
  const number = Number(size[1]);
  if (number === 0) return true;
  if (size[2] === 'px' || size[2] === 'pt') return number < 2;
  if (size[2] === 'em' || size[2] === 'rem') return number < 0.15;
  return size[2] === '%' && number < 15;
}

function pixelsOf(value: string): number {
  const [, number, unit] = /^(-?\d{1,7}(?:\.\d{1,4})?)(px|pt|em|rem|vw|vh|%)?/.exec(value) ?? [];
  if (number === undefined) return 0;
  const factor = unit === 'em' || unit === 'rem' ? 16 : unit === 'vw' || unit === 'vh' || unit === '%' ? 10 : 1;
  return Number(number) * factor;
}

/** `#rrggbb`, `transparent`, or undefined where it cannot be read. */
export function colorOf(value: string): string | undefined {
  const text = value.trim().toLowerCase();
  const hex = /^#([0-9a-f]{3,8})$/.exec(text)?.[1] ?? (/^[0-9a-f]{6}$/.test(text) ? text : undefined);
  if (hex !== undefined) {
    if ((hex.length === 8 && hex.endsWith('00')) || (hex.length === 4 && hex.endsWith('0'))) return 'transparent';
    return hex.length >= 6 ? `#${hex.slice(0, 6)}` : `#${hex.slice(0, 3).replaceAll(/./g, '$&$&')}`;
  }
  const rgb = /^rgba?\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*(?:[,/]\s*([\d.]{1,6})(%)?\s*)?\)$/.exec(
    text,
  );
  if (rgb !== null) {
    if (rgb[4] !== undefined && Number(rgb[4]) <= (rgb[5] ? 5 : 0.05)) return 'transparent';
    const part = (index: number): string => Math.min(255, Number(rgb[index])).toString(16).padStart(2, '0');
    return `#${part(1)}${part(2)}${part(3)}`;
  }
  const hsl = /^hsla?\(\s*\d{1,3}(?:deg)?\s*[, ]\s*[\d.]{1,6}%\s*[, ]\s*(100|9[89](?:\.\d{1,4})?)%/.exec(text);
  return hsl === null ? named[text] : '#ffffff';
}

/** Nobody sees a difference below this, summed over red, green and blue. */
const SEEN = 24;

export function looksAlike(one: string, other: string): boolean {
  if (!one.startsWith('#') || !other.startsWith('#')) return false;
  const parts = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const others = parts(other);
  return parts(one).reduce((sum, part, index) => sum + Math.abs(part - (others[index] ?? 0)), 0) < SEEN;
}

/** Looks by simple selector: `p`, `.note`, `#note`, `p.note`. */
export type Sheet = ReadonlyMap<string, Look>;

const MAX_RULES = 2_000;

/** The rules of style elements whose last part is a simple selector; conditions of media are taken as met. */
export function sheetOf(css: string): Sheet {
  const sheet = new Map<string, Look>();
  let at = 0;
  for (let rules = 0; rules < MAX_RULES; rules += 1) {
    const open = css.indexOf('{', at);
    if (open < 0) break;
    const close = css.indexOf('}', open);
    const inner = css.indexOf('{', open + 1);
    // A rule that holds rules itself, as @media does: go on inside of it.
    if (inner >= 0 && inner < close) {
      at = open + 1;
      continue;
    }
    const end = close < 0 ? css.length : close;
    const look = lookOf(css.slice(open + 1, Math.min(end, open + 2_000)));
    if (look.hides || (look.color ?? look.background ?? look.begins) !== undefined)
      for (const selector of css.slice(Math.max(at, open - 500), open).split(',')) {
        const last =
          selector
            .trim()
            .split(/[\s>+~]/)
            .at(-1)
            ?.toLowerCase() ?? '';
        if (/^[a-z0-9]*([.#][\w-]{1,60})?$/.test(last) && last !== '') sheet.set(last, merged(sheet.get(last), look));
      }
    at = end + 1;
  }
  return sheet;
}

export function merged(one: Look | undefined, other: Look): Look {
  const both: Look = {
    hides: (one?.hides ?? false) || other.hides,
    color: other.color ?? one?.color,
    background: other.background ?? one?.background,
    leavesLine: (one?.leavesLine ?? false) || (other.leavesLine ?? false),
  };
  const begins = other.begins ?? one?.begins;
  return begins === undefined ? both : { ...both, begins };
}

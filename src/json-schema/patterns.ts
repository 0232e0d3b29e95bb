import { RE2JS } from 're2js';

/**
 * Regular expressions of strangers, matched in time linear in the text. JSON Schema means ECMA-262 with the `u` flag, and
 * RE2 reads a few things differently. So a pattern must be valid in ECMA-262 and is rewritten where the two differ.
 * @throws Error with what in the pattern cannot be used
 */
export function linearPattern(pattern: string): { test: (text: string) => boolean; toString: () => string } {
  const compiled = compile(pattern);
  // Ajv caches patterns by toString(): two with the same text would share one expression.
  return { test: (text) => compiled.test(text), toString: () => `/${pattern}/u` };
}

/** For Ajv's option `code.regExp`; `code` would be written into generated files, of which there are none. */
export const regExpEngine = Object.assign((pattern: string) => linearPattern(pattern), { code: 're2js' });

function compile(pattern: string): RE2JS {
  const { source } = ecmaScript(pattern);
  try {
    return RE2JS.compile(RE2JS.translateRegExp(asRe2(source)));
  } catch (error) {
    const hint = /\(\?<?[=!]|\\(?:[1-9]|k<)/.test(source)
      ? 'look-ahead, look-behind and back-references cannot be matched in linear time; write the pattern without them'
      : 'use the syntax of RE2, with repeats up to 1,000 and properties by their short names such as \\p{L}';
    throw new Error(`The pattern cannot be used (${(error as Error).message}); ${hint}`, { cause: error });
  }
}

function ecmaScript(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch (error) {
    throw new Error(`Not a regular expression of ECMA-262 with the u flag: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const LINE_ENDS = '\\n\\r\u2028\u2029';
/** WhiteSpace and LineTerminator of ECMA-262; in RE2, `\s` is only the ASCII ones without the vertical tab. */
const SPACE = '\\t-\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const NOT_SPACE =
  '\\x00-\\x08\\x0e-\\x1f!-\u009f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\u{10ffff}';

/** RE2 knows categories by their short names only. */
const CATEGORIES: Record<string, string> = {
  Letter: 'L',
  Lowercase_Letter: 'Ll',
  Uppercase_Letter: 'Lu',
  Mark: 'M',
  Number: 'N',
  Decimal_Number: 'Nd',
  digit: 'Nd',
  Punctuation: 'P',
  punct: 'P',
  Symbol: 'S',
  Separator: 'Z',
  Space_Separator: 'Zs',
};

/** One element of a pattern: an escape (two \\u escapes of a surrogate pair are one), or a single character. */
const ELEMENT = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\[pP]\{[^}]*\}|\\.|./gsu;

/** Rewrites a valid ECMA-262 pattern so that RE2 reads the same language. */
function asRe2(pattern: string): string {
  let inClass = false;
  return pattern.replace(ELEMENT, (element) => {
    if (inClass) {
      if (element === ']') inClass = false;
      return inClassElement(element);
    }
    if (element === '[') inClass = true;
    if (element === '.') return `[^${LINE_ENDS}]`;
    if (element === '\\s') return `[${SPACE}]`;
    if (element === '\\S') return `[${NOT_SPACE}]`;
    return anyElement(element);
  });
}

function inClassElement(element: string): string {
  if (element === '[') return '\\[';
  if (element === '\\b') return '\\x08';
  if (element === '\\s') return SPACE;
  if (element === '\\S') return NOT_SPACE;
  return anyElement(element);
}

function anyElement(element: string): string {
  // RE2JS would read it as the letter k.
  if (element === '\\k') throw new Error('named back-reference');
  if (element.startsWith('\\u') && element.length === 12) return JSON.parse(`"${element}"`) as string;
  if (/^\\[pP]\{/.test(element)) {
    const property = element.slice(3, -1).replace(/^(?:Script|sc|General_Category|gc)=/, '');
    return `${element.slice(0, 3)}${Object.hasOwn(CATEGORIES, property) ? CATEGORIES[property] : property}}`;
  }
  return element;
}

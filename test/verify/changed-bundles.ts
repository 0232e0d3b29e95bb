import fc from 'fast-check';
import type { Members } from './log.ts';

// Changes of a bundle that no reader may take otherwise than another.

/** Any place of a JSON value, and what may stand there instead. */
export function withChange(value: unknown, path: number[], replacement: unknown): unknown {
  if (typeof value !== 'object' || value === null || path.length === 0) return replacement;
  const [step = 0, ...rest] = path;
  const names = Object.keys(value);
  if (names.length === 0) return replacement;
  const name = names[step % names.length] ?? '';
  const changed = withChange((value as Members)[name], rest, replacement);
  if (Array.isArray(value)) return value.with(Number(name), changed);
  if (changed !== undefined) return { ...value, [name]: changed };
  return Object.fromEntries(Object.entries(value).filter(([one]) => one !== name));
}
export const instead = fc.constantFrom<unknown>(
  undefined,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53 - 1,
  '',
  'x',
  '0',
  'AAAA',
  '\u0000',
  'é',
  '\ufeff',
  [],
  {},
  [[]],
);

/** Numbers that readers of JSON keep in different ways. */
export const numbers = fc.constantFrom<unknown>(2 ** 53, -(2 ** 53), 1e21, 1e-7, 5, 11, 23, 4_294_967_296);

/**
 * A change that no value shows: a member of the text a second time, a member that nothing knows, or a number spelled in another way; or a value
 * that is nested about as deep as any may be. Null leaves the text as it is; the two numbers choose the place and what stands there.
 */
export function bentText(text: string, change: [number, number, string] | null): string {
  if (change === null) return text;
  const [place, choice, how] = change;
  const members = [...text.matchAll(/"(\w+)":("[^"]*"|\d+|null|true|false)/g)];
  const found = members[(place * 61 + choice) % Math.max(members.length, 1)];
  if (found === undefined) return text;
  const [whole, name = '', value = ''] = found;
  const values = [value, 'null', '0', '"x"', '1e400', '-0', '1.0', '[]', '9007199254740993', '"\\ud800"'];
  const another = values[choice % values.length] ?? '';
  const deep = 195 + (choice % 10);
  const inPlace = {
    again: `${whole},"${name}":${another}`,
    more: `${whole},"unknown_${place}":${another}`,
    deep: `${whole},"unknown_${place}":${'['.repeat(deep)}${']'.repeat(deep)}`,
  }[how];
  const spelling = `"${name}":${/^\d+$/.test(value) ? [`${value}.0`, `${value}e0`, `-${value}`, `0${value}`][choice % 4] : another}`;
  return text.slice(0, found.index) + (inPlace ?? spelling) + text.slice(found.index + whole.length);
}

import { z } from 'zod';

/** Code points, as JSON Schema counts characters (decisions §2, trap 21). UTF-16 units never count fewer, so most texts need no walk. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

/** A text of `minimum` to `maximum` characters. */
export const text = (minimum: number, maximum: number) =>
  z
    .string()
    .min(minimum, `must have at least ${minimum} character${minimum === 1 ? '' : 's'}`)
    .refine((value) => value.length <= maximum || lengthOf(value) <= maximum, `must have at most ${maximum} characters`)
    .meta({ minLength: minimum, maxLength: maximum });

/** Names of things elsewhere (providers, models, scopes) have 1 to 128 characters (decisions §2, trap 24). */
export const nameText = text(1, 128);

/** Exact, 1 to 32 characters, ten at most; a repeated one counts once in what is stored (decisions K52). */
export const tags = z
  .array(text(1, 32))
  .max(10, 'must have at most 10 items')
  .transform((all) => [...new Set(all)]);

/** Whole cents that a number of JSON can hold exactly. */
export const cents = z.int().min(0);

/** A JSON object whose members are checked elsewhere, or not at all. */
export const anyObject = z.record(z.string(), z.unknown());

const SEMVER = new RegExp(
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)' +
    '(?:-(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?' +
    '(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$',
);

/** SemVer 2.0.0 without a leading v, in the words of semver.org; the semver package takes `v1.0.0` and drops build metadata. */
export const semver = z
  .string()
  .max(128)
  .regex(SEMVER, 'must be a SemVer 2.0.0 version such as 1.2.3, without a leading v');

/** A PATCH must change something (decisions K52). */
export const changesSomething = (body: object): boolean => Object.keys(body).length > 0;

import { z } from 'zod';
import type { JsonObject } from '../json/value.ts';

/** Code points, as JSON Schema counts characters (decisions §2, trap 21). */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

/** A text of `minimum` to `maximum` characters. Code points never outnumber UTF-16 units: most texts need no walk. */
export const text = (minimum: number, maximum: number) =>
  z
    .string()
    .min(minimum, `must have at least ${minimum} character${minimum === 1 ? '' : 's'}`)
    .refine((value) => value.length <= maximum || lengthOf(value) <= maximum, `must have at most ${maximum} characters`)
    .meta({ minLength: minimum, maxLength: maximum });

/** One address; 254 characters are what a mail server takes (RFC 5321). */
export const email = z
  .email()
  .max(254)
  .meta({ examples: ['ada@example.com'] });

/** Whole cents that a number of JSON can hold exactly. */
export const cents = z.int().min(0);

/**
 * Any JSON object; what its members are is checked elsewhere, or not at all. Bodies were read strictly (decisions
 * trap 24), so it is passed through as it is and not copied.
 */
export const jsonObject = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ override: { type: 'object', additionalProperties: true } });

/**
 * A PATCH must change something (decisions K52). Said only where nothing else is wrong: an unknown property is one
 * fault, not two.
 */
export const withSomeField = <Body extends z.ZodObject>(body: Body): Body =>
  body.refine((fields) => Object.keys(fields).length > 0, {
    message: 'must name at least one field to change',
    when: ({ issues }) => issues.length === 0,
  });

/** Up to `most` texts, each once. */
export const distinct = <Item extends z.ZodType<string>>(item: Item, most: number) =>
  z
    .array(item)
    .max(most)
    .superRefine((items, context) => {
      // In linear time: a list that is too long is looked at all the same.
      const seen = new Set<string>();
      const at = items.findIndex((one) => seen.size === seen.add(one).size);
      if (at >= 0) context.addIssue({ code: 'custom', path: [at], message: 'is there already' });
    })
    .meta({ uniqueItems: true });

import { z } from 'zod';

/** Code points, as JSON Schema counts characters. */
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

/** Up to `most` texts, each once. */
export const distinct = <Item extends z.ZodType<string>>(item: Item, most: number) =>
  z
    .array(item)
    .max(most)
    .superRefine((items, context) => {
      // In linear time: a list that is too long is read all the same.
      const seen = new Set<string>();
      const at = items.findIndex((one) => seen.size === seen.add(one).size);
      if (at >= 0) context.addIssue({ code: 'custom', path: [at], message: 'is there already' });
    })
    .meta({ uniqueItems: true });

/** Names people, agents and things; scopes and services too. */
export const name = text(1, 128);

/** Scopes, or services by name. */
export const distinctNames = distinct(name, 100);

export const description = text(1, 2_000);

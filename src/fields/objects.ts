import { z } from 'zod';
import type { JsonObject } from '../json/value.ts';

/**
 * Any JSON object; what its members are is checked elsewhere, or not at all. Bodies were read by the strict parser,
 * so it is passed through as it is and not copied.
 */
export const jsonObject = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ override: { type: 'object', additionalProperties: true } });

/**
 * A PATCH must change something. Refused only where nothing else is wrong: an unknown property is one fault, not two.
 */
export const withSomeField = <Body extends z.ZodObject>(body: Body): Body =>
  body
    .refine((fields) => Object.keys(fields).length > 0, {
      message: 'must name at least one field to change',
      when: ({ issues }) => issues.length === 0,
    })
    .meta({ minProperties: 1 });

import { z } from 'zod';

/** POST /v1/skills/:id/rate */
export const RateSkillSchema = z
  .strictObject({ rating: z.int().min(1).max(5), invocation_id: z.string().optional() })
  .meta({ id: 'RateSkill' });
export type RateSkill = z.output<typeof RateSkillSchema>;

const averageRating = z.number().nullable();
const ratingCount = z.int();

export const RatedSchema = z
  .object({
    rating: z.int(),
    verified: z.boolean().meta({ description: 'The rating operator has a completed invocation of the skill.' }),
    average_rating: averageRating,
    rating_count: ratingCount,
  })
  .meta({ id: 'Rated', examples: [{ rating: 5, verified: true, average_rating: 4.5, rating_count: 2 }] });
export type Rated = z.output<typeof RatedSchema>;

export const RatingSummarySchema = z
  .object({
    average_rating: averageRating,
    rating_count: ratingCount,
    // A map: members of an object become names, and a name that is a number compiles in few languages.
    distribution: z.record(z.string(), z.int()).meta({
      description: 'How many have given each rating, from `1` to `5`.',
    }),
    verified_count: z.int(),
  })
  .meta({
    id: 'RatingSummary',
    examples: [
      { average_rating: 4.5, rating_count: 2, distribution: { 1: 0, 2: 0, 3: 0, 4: 1, 5: 1 }, verified_count: 1 },
    ],
  });
export type RatingSummary = z.output<typeof RatingSummarySchema>;

import { z } from 'zod';
import { cursorMembers, cursorPages, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { queryInteger } from '../../http/query.ts';
import { text } from '../../fields/text.ts';
import { ListedSkillSchema, SkillStatus, TrustLevel } from '../schema.ts';
import { MAX_WORDS, wordsOf } from './terms.ts';

/** `tags=a&tags=b` and `tags=a,b` are the same; fifty tags are what five skills can have. */
const tagsQuery = z
  .union([z.string(), z.array(z.string())])
  .transform((given) =>
    [
      ...new Set(
        [given]
          .flat()
          .flatMap((one) => one.split(','))
          .map((tag) => tag.trim()),
      ),
    ].filter((tag) => tag !== ''),
  )
  .refine((all) => all.length <= 50, 'must name at most 50 tags')
  .meta({
    override: { type: 'array', items: { type: 'string' } },
    description: 'Repeated or separated by commas; skills with any of them, most in common first.',
  });

const words = text(0, 2_000).refine(
  (given) => wordsOf(given).length <= MAX_WORDS,
  `must have at most ${MAX_WORDS} words`,
);

const BrowsePositionSchema = z.object({ key: z.int(), id: z.string(), found: z.array(z.int()), total: z.int() });
export type BrowsePosition = z.output<typeof BrowsePositionSchema>;

/** The orders of the market. */
export const SORTS = ['relevance', 'price', 'rating', 'newest', 'most_used'] as const;

/** A page further: by cursor none is missed or repeated when skills come and go meanwhile. */
export const browsePages = cursorPages({
  position: BrowsePositionSchema,
  maximum: 100,
  standard: 20,
  inPosition: ['offset'],
});

/** GET /v1/skills */
export const BrowseQuerySchema = z.object({
  q: words.optional().meta({
    description:
      'Words of name, description and tags, any of them: what has more of them, and rarer ones, comes first. The last one may be a beginning, and a misspelt one is found.',
  }),
  search: words.optional().meta({ deprecated: true, description: 'The same as `q`, by its earlier name.' }),
  sort: z.enum(SORTS).default('relevance').meta({
    description:
      'Best match, lowest price, best rated, last published or most completed invocations first. Without words and tags, relevance is newest.',
  }),
  max_price_cents: queryInteger(0, Number.MAX_SAFE_INTEGER).optional(),
  status: SkillStatus.optional().meta({ description: 'Other than active: skills of your own.' }),
  trust_level: TrustLevel.optional().meta({ description: 'The level required, exactly.' }),
  max_trust_level: TrustLevel.optional().meta({ description: 'The level required, at most.' }),
  tags: tagsQuery.optional(),
  tags_match: z.enum(['any', 'all']).default('any'),
  ...offsetQuery,
  cursor: browsePages.query.cursor,
});

export type BrowseQuery = z.output<typeof BrowseQuerySchema>;

export const SkillPageSchema = offsetList('skills', ListedSkillSchema).extend({
  total: z.int().meta({ description: 'Counted among the skills that the search looks at, 1,000 at most.' }),
  ...cursorMembers,
});

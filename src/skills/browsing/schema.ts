import { z } from 'zod';
import { offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { text } from '../../fields/text.ts';
import { ListedSkillSchema, SkillStatus, TrustLevel } from '../schema.ts';

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

/** GET /v1/skills */
export const BrowseQuerySchema = z.object({
  search: text(0, 2_000)
    .optional()
    .meta({ description: 'Words of name and description; the last one may be a beginning.' }),
  status: SkillStatus.optional().meta({ description: 'Other than active: skills of your own.' }),
  trust_level: TrustLevel.optional().meta({ description: 'The level required, exactly.' }),
  max_trust_level: TrustLevel.optional().meta({ description: 'The level required, at most.' }),
  tags: tagsQuery.optional(),
  tags_match: z.enum(['any', 'all']).default('any'),
  ...offsetQuery,
});

export type BrowseQuery = z.output<typeof BrowseQuerySchema>;

export const SkillPageSchema = offsetList('skills', ListedSkillSchema);

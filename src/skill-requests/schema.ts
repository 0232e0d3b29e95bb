import { z } from 'zod';
import { cents } from '../fields/cents.ts';
import { jsonObject, withSomeField } from '../fields/objects.ts';
import { text } from '../fields/text.ts';
import { ListedSkillSchema, tags } from '../skills/index.ts';

export const SkillRequestStatus = z.enum(['open', 'closed', 'fulfilled']);
export type SkillRequestStatus = z.infer<typeof SkillRequestStatus>;

const description = text(1, 2_000);
const jsonSchema = jsonObject.meta({
  description: 'A JSON Schema; skills are compared with its properties, required and type.',
});

/** POST /v1/skill-requests */
export const PostSkillRequestSchema = z
  .strictObject({
    description,
    desired_input_schema: jsonSchema.optional(),
    desired_output_schema: jsonSchema.optional(),
    max_price_cents: cents.optional().meta({ description: 'USD cents per invocation' }),
    tags: tags.default([]),
  })
  .meta({ id: 'PostSkillRequest' });
export type PostSkillRequest = z.output<typeof PostSkillRequestSchema>;

/** PATCH /v1/skill-requests/:id; any status may be changed to any other. */
export const UpdateSkillRequestSchema = withSomeField(
  z.strictObject({ status: SkillRequestStatus.optional(), description: description.optional() }),
).meta({ id: 'ChangeSkillRequest' });
export type UpdateSkillRequest = z.output<typeof UpdateSkillRequestSchema>;

const example = {
  id: 'rqt_01K0000000000000000000000A',
  operator_id: 'op_01K0000000000000000000000A',
  description: 'Summaries of German contracts in English',
  max_price_cents: 100,
  tags: ['legal', 'summary'],
  status: 'open' as const,
  created_at: '2026-11-21T12:00:00.000Z',
  updated_at: '2026-11-21T12:00:00.000Z',
};

/** A request as the board lists it, without its schemas. */
export const ListedSkillRequestSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    description: z.string(),
    max_price_cents: z.int().nullable(),
    tags: z.array(z.string()),
    status: SkillRequestStatus,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'ListedSkillRequest',
    description: 'A request in a list; its schemas are read with it alone.',
    examples: [example],
  });
export type ListedSkillRequest = z.output<typeof ListedSkillRequestSchema>;

export const SkillRequestSchema = ListedSkillRequestSchema.extend({
  desired_input_schema: jsonObject.nullable(),
  desired_output_schema: jsonObject.nullable(),
}).meta({
  id: 'SkillRequest',
  description: 'A skill that an operator looks for.',
  examples: [
    {
      ...example,
      desired_input_schema: { type: 'object', properties: { text: { type: 'string' } } },
      desired_output_schema: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
    },
  ],
});
export type SkillRequest = z.output<typeof SkillRequestSchema>;

export const MatchesSchema = z
  .object({
    matches: z.array(
      z
        .object({
          skill: ListedSkillSchema,
          score: z.number().meta({
            description:
              'From 0 to 1: half for tags in common, a quarter each for input and output. What the request does not name is left out.',
          }),
          reasons: z.array(z.string()),
        })
        .meta({ id: 'SkillMatch' }),
    ),
  })
  .meta({ id: 'SkillMatches' });
export type Matches = z.output<typeof MatchesSchema>;

export const SuggestionsSchema = z
  .object({
    suggestions: z.array(
      z
        .object({
          steps: z.array(z.object({ skill_id: z.string(), skill: ListedSkillSchema })).meta({
            description: 'In order; what a step requires is in the desired input or given by a step before it.',
          }),
          total_price_cents: z.int(),
          coverage: z.number().meta({ description: 'Share of the desired outputs that the steps give.' }),
        })
        .meta({ id: 'SkillSuggestion' }),
    ),
  })
  .meta({ id: 'SkillSuggestions' });
export type Suggestions = z.output<typeof SuggestionsSchema>;

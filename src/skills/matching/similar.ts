import { z } from 'zod';
import type { Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import { searchWords } from '../browsing/terms.ts';
import { presentSkillTo } from '../presenter.ts';
import { ListedSkillSchema } from '../schema.ts';
import { findVisibleSkill } from '../show-skill.ts';
import { bestCandidates } from './candidates.ts';
import { comparableProperties } from './comparable-properties.ts';
import { fitOf, scoreOf } from './score.ts';

const MAX_SIMILAR = 10;

export const SimilarSkillsSchema = z
  .object({
    skills: z.array(
      z
        .object({
          skill: ListedSkillSchema,
          score: z.number().meta({
            description:
              'From 0 to 1: half for the required inputs of it that the other takes as well, half for the outputs of the other that it gives as well. What the schemas do not name is left out.',
          }),
        })
        .meta({ id: 'SimilarSkill' }),
    ),
  })
  .meta({ id: 'SimilarSkills' });

/** The skills that could stand in for this one, by their schemas; where those name nothing, by the words of its name. @throws CarnetError NOT_FOUND */
export async function findSimilar(
  context: Context,
  caller: Caller,
  id: string,
): Promise<z.output<typeof SimilarSkillsSchema>> {
  const { row } = await findVisibleSkill(context, caller, id);
  const output = comparableProperties(row.output_schema);
  const wanted = {
    notOf: null,
    except: id,
    maxPriceCents: null,
    tags: [],
    inputDeclared: comparableProperties(row.input_schema).declared,
    outputRequired: output.required.length > 0 ? output.required : output.declared,
    words: searchWords(row.name),
  };
  const similar = await bestCandidates(context.pool, wanted, MAX_SIMILAR);
  return {
    skills: similar.map((candidate) => ({
      skill: presentSkillTo(candidate, caller),
      score: scoreOf(fitOf(wanted, candidate)),
    })),
  };
}

import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import {
  comparableProperties,
  findProducers,
  findSkillRows,
  presentSkillTo,
  type ComposableSkill,
  type WantedSkill,
} from '../skills/index.ts';
import { composeChains, MAX_STEPS } from './compose.ts';
import type { SkillRequest, Suggestions } from './schema.ts';
import { readSkillRequest } from './skill-requests.ts';
import { wantedBy } from './wanted.ts';

const MAX_SUGGESTIONS = 10;
/** Skills read for each step, beginning with the last one. */
const MAX_PRODUCERS = 100;

/** The wanted outputs: the required properties of the desired schema, or all of them where none is required. */
const outputsOf = ({ desired_output_schema: schema }: SkillRequest): string[] => {
  if (schema === null) return [];
  const { required, declared } = comparableProperties(schema);
  return required.length > 0 ? required : declared;
};

/** Chains of skills that together give what a request needs; none where it has no output. @throws CarnetError NOT_FOUND */
export async function suggestCompositions(context: Context, caller: Caller, id: string): Promise<Suggestions> {
  const request = await readSkillRequest(context, id);
  const outputs = outputsOf(request);
  if (outputs.length === 0) return { suggestions: [] };
  const wanted = wantedBy(request);
  const candidates = await findComposableSkills(context, wanted, outputs);
  const goal = { available: wanted.inputDeclared, outputs, maxTotalCents: wanted.maxPriceCents };
  const chains = await inSlices(composeChains(goal, candidates, MAX_SUGGESTIONS));
  const rows = await findSkillRows(context.pool, [
    ...new Set(chains.flatMap(({ steps }) => steps.map((step) => step.id))),
  ]);
  const skills = new Map(rows.map((row) => [row.id, presentSkillTo(row, caller)]));
  return {
    suggestions: chains.map(({ steps, totalCents, coverage }) => ({
      steps: steps.flatMap(({ id: skillId }) => {
        const skill = skills.get(skillId);
        return skill === undefined ? [] : [{ skill_id: skillId, skill }];
      }),
      total_price_cents: totalCents,
      coverage,
    })),
  };
}

/** Gives everybody else their turn wherever the work yields. */
async function inSlices<Result>(work: Generator<void, Result, void>): Promise<Result> {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
    await othersFirst();
  }
}

/** Skills that give the outputs, then those that give what these need, once for each step of a chain: a few hundred. */
async function findComposableSkills(
  context: Context,
  { notOf, maxPriceCents, inputDeclared }: WantedSkill,
  outputs: string[],
): Promise<ComposableSkill[]> {
  const skills = new Map<string, ComposableSkill>();
  const tried = new Set<string>();
  let properties = outputs;
  for (let step = 0; step < MAX_STEPS && properties.length > 0; step += 1) {
    for (const property of properties) tried.add(property);
    const producers = await findProducers(context.pool, {
      notOf,
      maxPriceCents,
      properties,
      available: inputDeclared ?? [],
      limit: MAX_PRODUCERS,
    });
    for (const skill of producers) skills.set(skill.id, skill);
    const needed = inputDeclared === null ? [] : producers.flatMap((skill) => skill.input_required);
    properties = [...new Set(needed)].filter(
      (property) => !tried.has(property) && inputDeclared?.includes(property) !== true,
    );
  }
  return [...skills.values()];
}

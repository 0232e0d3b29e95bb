import type { Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import { fieldsOf, findProducers, findSkillRows, presentTo, type Part, type Wanted } from '../skills/index.ts';
import { composeChains, MOST_STEPS } from './compose.ts';
import type { SkillRequest, Suggestions } from './schema.ts';
import { readSkillRequest } from './skill-requests.ts';
import { wantedBy } from './wanted.ts';

const SUGGESTIONS = 10;
/** Skills looked at for each step, counted from the last one back. */
const PRODUCERS = 200;

/** What a composition must give: the required properties of the desired output, or all of them where none is required. */
const outputsOf = ({ desired_output_schema: schema }: SkillRequest): string[] => {
  if (schema === null) return [];
  const { required, declared } = fieldsOf(schema);
  return required.length > 0 ? required : declared;
};

/** Skills that together give what a request asks for (decisions K41); none where it does not say. @throws CarnetError NOT_FOUND */
export async function suggestCompositions(context: Context, caller: Caller, id: string): Promise<Suggestions> {
  const request = await readSkillRequest(context, id);
  const outputs = outputsOf(request);
  if (outputs.length === 0) return { suggestions: [] };
  const wanted = wantedBy(request);
  const parts = await partsFor(context, wanted, outputs);
  const chains = composeChains(
    { available: wanted.inputDeclared, outputs, maxTotalCents: wanted.maxPriceCents },
    parts,
    SUGGESTIONS,
  );
  const rows = await findSkillRows(context.pool, [
    ...new Set(chains.flatMap(({ steps }) => steps.map((step) => step.id))),
  ]);
  const skills = new Map(rows.map((row) => [row.id, presentTo(row, caller)]));
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

/** Who gives the outputs, who gives what those still need, and once more: a few hundred skills of however many there are. */
async function partsFor(
  context: Context,
  { notOf, maxPriceCents, inputDeclared }: Wanted,
  outputs: string[],
): Promise<Part[]> {
  const parts = new Map<string, Part>();
  const asked = new Set<string>();
  let fields = outputs;
  for (let step = 0; step < MOST_STEPS && fields.length > 0; step += 1) {
    for (const field of fields) asked.add(field);
    const producers = await findProducers(context.pool, {
      notOf,
      maxPriceCents,
      fields,
      available: inputDeclared ?? [],
      limit: PRODUCERS,
    });
    for (const part of producers) parts.set(part.id, part);
    const needed = inputDeclared === null ? [] : producers.flatMap((part) => part.input_required);
    fields = [...new Set(needed)].filter((field) => !asked.has(field) && inputDeclared?.includes(field) !== true);
  }
  return [...parts.values()];
}

import type { CandidateSkill, WantedSkill } from './candidates.ts';
import { propertyName } from './comparable-properties.ts';

/** How well a skill fits a request; every share is from 0 to 1, and null where there is nothing to compare. */
interface Fit {
  /** Jaccard: tags in common among all tags of both. */
  tags: number | null;
  /** Share of the skill's required inputs that the desired schema declares with the same type. */
  input: number | null;
  /** Share of the desired required outputs that the skill declares with the same type. */
  output: number | null;
  /** Share of the words of the description; compared where the request names nothing else. */
  words: number | null;
}

const WEIGHTS = { tags: 0.5, input: 0.25, output: 0.25, words: 1 } as const satisfies Record<keyof Fit, number>;

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

const inBoth = (properties: readonly string[], others: readonly string[]): string[] => {
  const known = new Set(others);
  return properties.filter((property) => known.has(property));
};

const namesNothing = ({ tags, inputDeclared, outputRequired }: WantedSkill): boolean =>
  tags.length === 0 && !inputDeclared?.length && !outputRequired?.length;

export function fitOf(wanted: WantedSkill, skill: CandidateSkill): Fit {
  const shared = inBoth(skill.tags, wanted.tags).length;
  const inputs = wanted.inputDeclared ?? [];
  const outputs = wanted.outputRequired ?? [];
  return {
    tags: wanted.tags.length === 0 ? null : share(shared, skill.tags.length + wanted.tags.length - shared),
    input: inputs.length === 0 ? null : share(inBoth(skill.input_required, inputs).length, skill.input_required.length),
    output: share(inBoth(outputs, skill.output_declared).length, outputs.length),
    words: namesNothing(wanted) ? share(skill.words_found, skill.words_compared) : null,
  };
}

/**
 * From 0 to 1, rounded to ten-thousandths: half for tags, a quarter each for input and output. What there is nothing to compare of is left
 * out, and the others weigh as much more.
 */
export function scoreOf(fit: Fit): number {
  let [reached, possible] = [0, 0];
  for (const part of ['tags', 'input', 'output', 'words'] as const) {
    const fitting = fit[part];
    if (fitting === null) continue;
    reached += WEIGHTS[part] * fitting;
    possible += WEIGHTS[part];
  }
  return possible === 0 ? 0 : Math.round((reached / possible) * 10_000) / 10_000;
}

const names = (properties: readonly string[]): string => properties.map(propertyName).join(', ');

/** Why a skill has its score: a sentence for each part of it. */
export function reasonsFor(wanted: WantedSkill, skill: CandidateSkill): string[] {
  const fit = fitOf(wanted, skill);
  const reasons: string[] = [];
  if (fit.tags !== null) {
    const shared = inBoth(skill.tags, wanted.tags);
    reasons.push(
      shared.length === 0
        ? 'Has none of the tags.'
        : `Has ${shared.length} of ${wanted.tags.length} tags: ${shared.join(', ')}.`,
    );
  }
  if (fit.input !== null) {
    const fitting = inBoth(skill.input_required, wanted.inputDeclared ?? []);
    reasons.push(
      `The desired input gives ${fitting.length} of its ${skill.input_required.length} required inputs${fitting.length === 0 ? '' : `: ${names(fitting)}`}.`,
    );
  }
  if (fit.output !== null) {
    const outputs = wanted.outputRequired ?? [];
    const fitting = inBoth(outputs, skill.output_declared);
    reasons.push(
      `Declares ${fitting.length} of ${outputs.length} required outputs${fitting.length === 0 ? '' : `: ${names(fitting)}`}.`,
    );
  }
  if (fit.words !== null) reasons.push(`Has ${skill.words_found} of ${skill.words_compared} words of the description.`);
  return reasons;
}

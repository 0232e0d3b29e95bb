import { propertyName, type CandidateSkill, type WantedSkill } from '../skills/index.ts';

/** How well a skill fits a request; every share is from 0 to 1. */
interface Fit {
  /** Jaccard: tags in common among all tags of both. */
  tags: number;
  /** Share of the skill's required inputs that the desired schema declares with the same type. */
  input: number;
  /** Share of the desired required outputs that the skill declares with the same type. */
  output: number;
}

const share = ({ part, whole, ofNothing }: { part: number; whole: number; ofNothing: number }): number =>
  whole === 0 ? ofNothing : part / whole;

const inBoth = (properties: readonly string[], others: readonly string[]): string[] => {
  const known = new Set(others);
  return properties.filter((property) => known.has(property));
};

export function fitOf(wanted: WantedSkill, skill: CandidateSkill): Fit {
  const shared = inBoth(skill.tags, wanted.tags).length;
  const { inputDeclared, outputRequired } = wanted;
  return {
    tags: share({ part: shared, whole: skill.tags.length + wanted.tags.length - shared, ofNothing: 0 }),
    input:
      inputDeclared === null
        ? 1
        : share({
            part: inBoth(skill.input_required, inputDeclared).length,
            whole: skill.input_required.length,
            ofNothing: 1,
          }),
    output:
      outputRequired === null
        ? 1
        : share({
            part: inBoth(outputRequired, skill.output_declared).length,
            whole: outputRequired.length,
            ofNothing: 1,
          }),
  };
}

/** From 0 to 1, rounded to ten-thousandths: half for tags, a quarter each for input and output. */
export const scoreOf = ({ tags, input, output }: Fit): number =>
  Math.round((0.5 * tags + 0.25 * input + 0.25 * output) * 10_000) / 10_000;

const names = (properties: readonly string[]): string => properties.map(propertyName).join(', ');

/** Why a skill has its score: one sentence each for tags, input and output. */
export function reasonsFor(wanted: WantedSkill, skill: CandidateSkill): string[] {
  const { inputDeclared, outputRequired } = wanted;
  const shared = inBoth(skill.tags, wanted.tags);
  const reasons: string[] = [];
  if (wanted.tags.length > 0) {
    reasons.push(
      shared.length === 0
        ? 'Has none of the tags.'
        : `Has ${shared.length} of ${wanted.tags.length} tags: ${shared.join(', ')}.`,
    );
  }
  if (inputDeclared === null) reasons.push('The request names no input schema.');
  else if (skill.input_required.length === 0) reasons.push('Requires no input.');
  else {
    const fitting = inBoth(skill.input_required, inputDeclared);
    reasons.push(
      `The desired input gives ${fitting.length} of its ${skill.input_required.length} required inputs${fitting.length === 0 ? '' : `: ${names(fitting)}`}.`,
    );
  }
  if (outputRequired === null) reasons.push('The request names no output schema.');
  else if (outputRequired.length === 0) reasons.push('No output is required.');
  else {
    const fitting = inBoth(outputRequired, skill.output_declared);
    reasons.push(
      `Declares ${fitting.length} of ${outputRequired.length} required outputs${fitting.length === 0 ? '' : `: ${names(fitting)}`}.`,
    );
  }
  return reasons;
}

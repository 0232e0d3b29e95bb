import { nameOfField, type Candidate, type Wanted } from '../skills/index.ts';

/** What a match is made of; every share is from 0 to 1. */
export interface Fit {
  /** Jaccard: tags in common among all tags of both. */
  tags: number;
  /** Share of the skill's required inputs that the desired schema declares with the same type. */
  input: number;
  /** Share of the desired required outputs that the skill declares with the same type. */
  output: number;
}

const share = (part: number, whole: number, ofNothing: number): number => (whole === 0 ? ofNothing : part / whole);

const within = (fields: readonly string[], others: readonly string[]): string[] => {
  const known = new Set(others);
  return fields.filter((field) => known.has(field));
};

export function fitOf(wanted: Wanted, skill: Candidate): Fit {
  const shared = within(skill.tags, wanted.tags).length;
  const { inputDeclared, outputRequired } = wanted;
  return {
    tags: share(shared, skill.tags.length + wanted.tags.length - shared, 0),
    input:
      inputDeclared === null
        ? 1
        : share(within(skill.input_required, inputDeclared).length, skill.input_required.length, 1),
    output:
      outputRequired === null
        ? 1
        : share(within(outputRequired, skill.output_declared).length, outputRequired.length, 1),
  };
}

/** From 0 to 1 (decisions K40), in ten-thousandths. */
export const scoreOf = ({ tags, input, output }: Fit): number =>
  Math.round((0.5 * tags + 0.25 * input + 0.25 * output) * 10_000) / 10_000;

const names = (fields: readonly string[]): string => fields.map(nameOfField).join(', ');

/** Why a skill has its score, a sentence a part. */
export function reasonsFor(wanted: Wanted, skill: Candidate): string[] {
  const { inputDeclared, outputRequired } = wanted;
  const shared = within(skill.tags, wanted.tags);
  const reasons: string[] = [];
  if (wanted.tags.length > 0) {
    reasons.push(
      shared.length === 0
        ? 'Has none of the tags.'
        : `Has ${shared.length} of ${wanted.tags.length} tags: ${shared.join(', ')}.`,
    );
  }
  if (inputDeclared === null) reasons.push('No input schema is asked for.');
  else if (skill.input_required.length === 0) reasons.push('Requires no input.');
  else {
    const fitting = within(skill.input_required, inputDeclared);
    reasons.push(
      `The desired input gives ${fitting.length} of its ${skill.input_required.length} required inputs${fitting.length === 0 ? '' : `: ${names(fitting)}`}.`,
    );
  }
  if (outputRequired === null) reasons.push('No output schema is asked for.');
  else if (outputRequired.length === 0) reasons.push('No output is required.');
  else {
    const fitting = within(outputRequired, skill.output_declared);
    reasons.push(
      `Declares ${fitting.length} of ${outputRequired.length} required outputs${fitting.length === 0 ? '' : `: ${names(fitting)}`}.`,
    );
  }
  return reasons;
}

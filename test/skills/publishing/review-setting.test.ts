import assert from 'node:assert/strict';
import { needsReview } from '../../../src/skills/publishing/publish-skill.ts';
import { PublishSkillSchema } from '../../../src/skills/schema.ts';
import { publication } from '../../support/factories.ts';

const kinds: [what: string, overrides: Record<string, unknown>][] = [
  ['an open contract', {}],
  ['an open skill with code', { execution_script: 'x' }],
  ['a sealed skill', { execution_mode: 'sealed' }],
  ['a source skill', { execution_mode: 'source' }],
];
const reviewed: Record<'code' | 'all' | 'none', boolean[]> = {
  code: [false, true, true, true],
  all: [true, true, true, true],
  none: [false, false, false, false],
};

describe('SKILL_REVIEW', () => {
  for (const [setting, expected] of Object.entries(reviewed)) {
    for (const [at, [what, overrides]] of kinds.entries()) {
      it(`${setting}: ${what} ${expected[at] === true ? 'waits for review' : 'is public at once'}`, () => {
        const skill = PublishSkillSchema.parse(publication(overrides));
        assert.equal(needsReview(setting as keyof typeof reviewed, skill), expected[at]);
      });
    }
  }
});

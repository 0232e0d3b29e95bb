import { blocksOf, letTheCheckpointBeMissed, paste, PATIENCE_MS } from '../support/pasted.ts';
import { asTheDemoOwnerAlone } from '../support/people.ts';

describe('docs/sign-in.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that print what they show, from the code to an approval and the end of the session', async () => {
    const blocks = [
      ...(await blocksOf('docs/sign-in.md', 'sign-in')),
      ...(await blocksOf('docs/sign-in.md', 'approval')),
    ];
    await asTheDemoOwnerAlone(() => paste(blocks));
  });
});

describe('docs/passports.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that print what they show, from a passport to a missed checkpoint that a person has reviewed', async () => {
    const blocks = [
      ...(await blocksOf('docs/passports.md', 'passports')),
      ...(await blocksOf('docs/sign-in.md', 'sign-in')),
      ...(await blocksOf('docs/passports.md', 'review')),
    ];
    await asTheDemoOwnerAlone(() => Promise.all([paste(blocks), letTheCheckpointBeMissed('night-shift')]));
  });
});

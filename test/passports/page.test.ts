import { blocksOf, letTheCheckpointBeMissed, paste, PATIENCE_MS } from '../support/pasted.ts';
import { moveCode } from '../support/people.ts';
import { service } from '../support/service.ts';

// In one file: both sign in as one address, to which codes are sent half a minute apart.
const mayBeSentAgain = (): Promise<void> => moveCode(service().credentials.email, 'sent_at', -31);

describe('docs/sign-in.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that print what they show, from the code to an approval and the end of the session', async () => {
    await mayBeSentAgain();
    await paste([
      ...(await blocksOf('docs/sign-in.md', 'sign-in')),
      ...(await blocksOf('docs/sign-in.md', 'approval')),
    ]);
  });
});

describe('docs/passports.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that print what they show, from a passport to a missed checkpoint that a person has reviewed', async () => {
    await mayBeSentAgain();
    const blocks = [
      ...(await blocksOf('docs/passports.md', 'passports')),
      ...(await blocksOf('docs/sign-in.md', 'sign-in')),
      ...(await blocksOf('docs/passports.md', 'review')),
    ];
    await Promise.all([paste(blocks), letTheCheckpointBeMissed('night-shift')]);
  });
});

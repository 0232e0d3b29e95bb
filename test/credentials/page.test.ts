import { blocksOf, paste, PATIENCE_MS } from '../support/pasted.ts';

describe('docs/credentials.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that print what they show when they are pasted, from entering a key to deleting it', async () => {
    await paste(await blocksOf('docs/credentials.md', 'credentials'));
  });
});

import { blocksOf, paste, PATIENCE_MS } from '../support/pasted.ts';

describe('docs/mcp.md', function () {
  this.timeout(PATIENCE_MS);

  it('shows what a client of no library is answered', async () => {
    await paste(await blocksOf('docs/mcp.md', 'mcp'));
  });
});

import { spawn } from 'node:child_process';
import { freePort } from '../../../src/embedded/ports.ts';
import { eventually } from '../../support/eventually.ts';
import { startInstance, type Instance } from '../../support/instance.ts';
import { blockOf, blocksOf, paste, PATIENCE_MS, type Block } from '../../support/pasted.ts';

describe('docs/sealed-skills.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that print what they show when they are pasted, from publishing to what it cost', async () => {
    await paste(await blocksOf('docs/sealed-skills.md', 'sealed'));
  });

  describe('beside the stand-in for a provider of models', () => {
    let instance: Instance;
    let standIn: ReturnType<typeof spawn>;
    let start: Block;
    before(async () => {
      const port = String(await freePort());
      start = await blockOf('docs/sealed-skills.md', 'start');
      const { code } = await blockOf('docs/sealed-skills.md', 'stand-in');
      standIn = spawn('bash', ['-c', `exec ${code.trim().replace('4010', port)}`], { stdio: 'ignore' });
      await eventually('the stand-in answers', async () => (await fetch(`http://127.0.0.1:${port}`)).ok, {
        ignoreErrors: () => true,
      });
      const [, providers = ''] = /LLM_PROVIDERS='([^']+)'/.exec(start.code) ?? [];
      instance = await startInstance({ env: { LLM_PROVIDERS: providers.replace('4010', port) } });
    });
    after(async () => {
      standIn.kill();
      await instance.stop();
    });

    it('has a step that asks a model', async () => {
      const [first] = await blocksOf('docs/sealed-skills.md', 'sealed');
      const calls = { ...(await blockOf('docs/sealed-skills.md', 'model')) };
      // The first block begins with the lines for keys and calls.
      const lines = (first?.code ?? '').split('\n').slice(0, 5).join('\n');
      await paste([{ ...calls, code: `${lines}\n${calls.code}` }], { env: { DATA_DIR: instance.dataDir } });
    });
  });
});

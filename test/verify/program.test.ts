import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../support/process.ts';
import { newKeys, plainEnvelope } from './log.ts';
import { changed, honest, log } from './judged.ts';

describe('the offline verifier', () => {
  describe('as a program', () => {
    let folder: string;
    before(async () => void (folder = await mkdtemp(join(tmpdir(), 'carnet-verify-'))));
    after(() => rm(folder, { recursive: true }));

    const run = async (file: string, ...args: string[]): Promise<[number | string, string]> => {
      const program = startProgram('scripts/verify/main.ts', {}, [file, ...args]);
      const code = await program.ended;
      return [code, program.output()];
    };
    const written = async (name: string, text: string): Promise<string> => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };

    it('prints a line a check, and exits 0, 1 or 2', async () => {
      const file = await written('bundle.json', JSON.stringify(honest(), null, 2));
      const key = await written('log.vkey', `${log.keys.vkey}\n`);
      const [code, output] = await run(
        file,
        '--key',
        key,
        '--checkpoint',
        await written('old.txt', log.checkpoint(11)),
      );
      assert.equal(code, 0, output);
      assert.equal(output.split('\n').length, 17);
      assert.match(output, /^ok {6}digest +sha256:[0-9a-f]{64}$/m);
      assert.match(output, /^VERIFIED  claim pc_\w+ \(sha256:[0-9a-f]{64}\): 14 checks hold, 1 were not made\n$/m);

      const policy = await written('policy', `log ${log.keys.vkey}\nwitness w ${newKeys('w', 4).vkey}\nquorum w\n`);
      const [refused, report] = await run(file, '--policy', policy);
      assert.equal(refused, 1, report);
      assert.match(report, /^FAILED {2}witnesses +the quorum w is not met/m);
      assert.match(report, /^NOT VERIFIED  claim pc_\w+ \(sha256:\w+\): witnesses\n$/m);

      for (const [args, message] of [
        [[file], /usage: .*A key is trusted because you have it from elsewhere/s],
        [[file, '--key', 'nonsense+1'], /--key cannot be read/],
        [[file, '--key', log.keys.vkey, '--other'], /usage/],
        [[join(folder, 'absent.json'), '--key', log.keys.vkey], /absent.json cannot be read/],
        [[key, '--key', log.keys.vkey], /log.vkey cannot be read: it is not JSON/],
        [[await written('half.json', '{"bundle_version":1}'), '--key', log.keys.vkey], /latest is missing/],
        [[await written('two.json', '{"bundle_version":2}'), '--key', log.keys.vkey], /bundle_version is not 1/],
      ] as const) {
        const [, ...rest] = args;
        const [ended, said] = await run(args[0], ...rest);
        assert.deepEqual([ended, message.test(said)], [2, true], said);
      }
    });

    it('takes an older checkpoint with blank lines behind it, and says nothing verified where it was not checked', async () => {
      const file = await written('bundle.json', JSON.stringify(honest()));
      const trusted = ['--key', log.keys.vkey, '--checkpoint'];
      const kept = await written('kept.txt', `${log.checkpoint(11)}\n\n`);
      const [code, output] = await run(file, ...trusted, kept);
      assert.deepEqual([code, /^ok +older checkpoint/m.test(output)], [0, true], output);
      const other = await written('other.txt', log.checkpoint(7));
      const [incomplete, said] = await run(file, ...trusted, other);
      assert.deepEqual(
        [incomplete, /^- +older checkpoint +not checked: give --consistency/m.test(said), /VERIFIED/.test(said)],
        [2, true, false],
        said,
      );
      assert.match(said, /^INCOMPLETE /m);
      const proof = await written('proof.json', JSON.stringify(log.consistency(7, 23)));
      const [proven, found] = await run(file, ...trusted, other, '--consistency', proof);
      assert.equal(proven, 0, found);
    });

    it('exits 2 for what it is given beside the bundle and cannot read, and for what is no bundle', async () => {
      const file = await written('bundle.json', JSON.stringify(honest()));
      const key = ['--key', log.keys.vkey];
      const proof = await written('proof.json', JSON.stringify(log.consistency(7, 23)));
      const older = await written('older.txt', log.checkpoint(7));
      const page = await written('page.html', '<html></html>\n');
      const claim = { id: 'pc_1', digest: 'sha256:00', envelope: plainEnvelope };
      const lines = `${JSON.stringify(claim)}\n`.repeat(2);
      for (const [args, message] of [
        [[file, ...key, '--consistency', proof], /^--consistency is about .*--checkpoint.*usage/s],
        [[file, ...key, '--checkpoint', page], /page\.html cannot be read: the note has no signatures/],
        [[file, ...key, '--checkpoint', older, '--consistency', page], /page\.html cannot be read/],
        [
          [file, ...key, '--checkpoint', older, '--consistency', file],
          /bundle\.json cannot be read: hashes is missing|the consistency proof/,
        ],
        [
          [await written('claim.json', JSON.stringify(claim)), ...key],
          /this is a claim and no bundle; fetch \/v1\/claims\/pc_1\/bundle/,
        ],
        [[await written('line.json', lines.slice(0, lines.length / 2)), ...key], /this is a claim and no bundle/],
        [[await written('lines.json', lines), ...key], /these are lines of an export; fetch/],
        [[await written('202.json', '{"claim_id":"pc_1","log_index":null}'), ...key], /waits .*pc_1\/bundle once more/],
        [[await written('envelope.json', JSON.stringify(plainEnvelope)), ...key], /this is an envelope and no bundle/],
      ] as const) {
        const [first, ...rest] = args;
        const [code, said] = await run(first, ...rest);
        assert.deepEqual([code, message.test(said)], [2, true], said);
      }
    });

    it('prints its usage for --help, and exits 0', async () => {
      const [code, output] = await run('--help');
      assert.deepEqual([code, output.startsWith('usage: npm run verify')], [0, true], output);
    });

    it('prints nothing of a stranger’s text that a terminal would act on', async () => {
      const hostile = changed((bundle) => (bundle.revocation.revoked_at = '\u001b[2Kx\nVERIFIED  everything\u202e'));
      const [code, output] = await run(await written('hostile.json', JSON.stringify(hostile)), '--key', log.keys.vkey);
      assert.equal(code, 1);
      assert.doesNotMatch(output, /[^\P{C}\n]|^VERIFIED/mu);
    });
  });
});

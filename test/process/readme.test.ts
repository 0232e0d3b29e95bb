import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { eventually } from '../support/eventually.ts';
import { moveCode } from '../support/people.ts';
import { database, service } from '../support/service.ts';

const run = promisify(execFile);
/** A story has many calls, and some of them wait for a life: a busy machine needs its time. */
const PATIENCE_MS = 600_000;
/** A program that still runs then is ended, which would else outlive its case. */
const timeout = PATIENCE_MS - 30_000;

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The blocks of the README under this mark, in order. */
async function blocksOf(mark: 'tour' | 'money' | 'passports'): Promise<string[]> {
  const text = await readFile(`${root}README.md`, 'utf8');
  return [...text.matchAll(new RegExp(`<!-- ${mark} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block]) => block ?? '',
  );
}

/** Pastes them into one shell. @returns the lines it printed. */
async function paste(blocks: string[]): Promise<string[]> {
  const { stdout, stderr } = await run(
    'bash',
    ['-e', '-u', '-c', `DATA_DIR=${service().dataDir}\n${blocks.join('\n')}`],
    { cwd: root, timeout },
  );
  assert.doesNotMatch(stderr, /Error/, stdout + stderr);
  return stdout.trim().split('\n');
}

/**
 * What a reader waits for takes a minute and a half: the times of the lineage are moved back by a minute, and its life is woken again.
 */
async function letTheCheckpointBeMissed(agentName: string): Promise<void> {
  const pool = await database();
  const Row = z.object({ session_id: z.string() });
  await eventually(
    `the passport of ${agentName}`,
    async () => {
      const moved = await pool.maybeOne(sql.type(Row)`
      update passport_lineages l set next_checkpoint_due_at = next_checkpoint_due_at - interval '100 seconds'
      from agents a where a.id = l.agent_id and a.name = ${agentName} and l.next_checkpoint_due_at > now() returning l.session_id`);
      if (moved === null) return false;
      await pool.query(sql.type(z.object({}))`select wake_life(${`session:${moved.session_id}`})`);
      return true;
    },
    { seconds: PATIENCE_MS / 1_000 },
  );
}

describe('npm run demo', function () {
  this.timeout(PATIENCE_MS);

  it('tells its story to the end', async () => {
    const month = (): string => new Date().toISOString().slice(0, 7);
    const began = month();
    const { stdout } = await run(process.execPath, ['scripts/demo.ts'], {
      cwd: root,
      env: { ...process.env, DATA_DIR: service().dataDir },
      timeout,
    });
    assert.match(stdout, /before \$0\.00, after \$20\.00\./);
    assert.match(stdout, /available \$17\.50, held \$2\.50\.[^]*available \$17\.50, held \$0\.00\./);
    assert.match(stdout, /^ +invocation +-\$2\.50 +Skill shout-\w+ 1\.0\.0, inv_\w+\n +topup +\$20\.00/m);
    assert.match(
      stdout,
      /BALANCE_BELOW_TOPUP[^]*after \$27\.50\.[^]*rfd_\w+: \$10\.00, succeeded\.[^]*available \$17\.50/,
    );
    assert.match(stdout, month() === began ? /tier pro: 1 of 1,500,000/ : /tier pro: [01] of 1,500,000/);
    assert.match(stdout, /tier pro[^]*7 seats: 5 of the tier, 2 bought\.[^]*pro is canceling until 2/);
    assert.match(stdout, /1 more revoked with it; the child: valid: false, ancestor_revoked\.\n$/);
  });
});

describe('the README', function () {
  this.timeout(PATIENCE_MS);

  it('has a tour that works when it is pasted', async () => {
    const blocks = await blocksOf('tour');
    assert(blocks.length >= 5, 'the blocks of the tour are marked');
    const lines = await paste(blocks);
    const printed = lines.join('\n');
    assert.match(lines[0] ?? '', /^skl_/, printed);
    assert.match(printed, /"held_cents":25/);
    for (const word of ['processing', 'completed', 'HELLO']) assert(lines.includes(word), `${word} in:\n${printed}`);
    assert.equal(lines.at(-1), 'completed', printed);
  });

  it('has a part about money that goes on with the skill of the tour', async () => {
    const [prologue = '', publishing = ''] = await blocksOf('tour');
    const blocks = await blocksOf('money');
    assert(blocks.length >= 4, 'the blocks about money are marked');
    const printed = (await paste([prologue, publishing, ...blocks])).join('\n');
    assert.match(printed, /^http\S+\n\$0\.00\n\$20\.00\nprocessing\ncompleted$/m);
    assert.match(printed, /\[ 'invocation', -25, 'shout-\d+' \],\s+\[ 'topup', 2000, (null|undefined) \]/);
    assert.match(printed, /^\w[^\n]*amount_cents[^\n]*\n[^\n]*invocation,-25/m);
    assert.match(printed, /^BALANCE_BELOW_TOPUP\n{"refund_id":"rfd_\w+",.*"status":"(succeeded|pending)"}/m);
    assert.match(printed, /"lifetime_cents":[1-9]\d+}\n[^]*\n\$19\.75\n/);
    assert.match(printed, /included: 1500000/);
    assert.match(printed, /"total_seats":7,/);
    assert.match(printed, /"status":"canceling","cancel_at_period_end":true/);
  });

  it('has a part about passports that goes on in the same terminal', async () => {
    const [prologue] = await blocksOf('tour');
    const blocks = await blocksOf('passports');
    assert(blocks.length >= 8, 'the blocks about passports are marked');
    await moveCode(service().credentials.email, 'sent_at', -31); // should somebody have signed in just now
    const [lines] = await Promise.all([paste([prologue ?? '', ...blocks]), letTheCheckpointBeMissed('night-shift')]);
    const printed = lines.join('\n');
    assert.match(lines[0] ?? '', /^{"valid":true,/, printed);
    assert.match(lines[1] ?? '', /^ag_\w+ \[ 'github: /, printed);
    for (const hop of [1, 2, 3, 4]) assert.match(printed, new RegExp(`^hop ${hop}: psp_`, 'm'));
    assert.match(printed, /^hop 5: refused DELEGATION_DEPTH_EXCEEDED$/m);
    assert.match(printed, /"cascaded_count":4,/);
    assert.equal(lines.filter((line) => line === 'ancestor_revoked').length, 4, printed);
    assert.match(printed, /^\[ 'critical: missed_checkpoint' \]$/m);
    assert.match(printed, /^AGENT_REVIEW_PENDING\napr_\w+\n{"sent":true}\napproved\napproved\npsp_\w+$/m);
  });
});

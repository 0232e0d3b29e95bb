import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { blocksOf, letTheCheckpointBeMissed, paste, PATIENCE_MS, ROOT } from '../support/pasted.ts';
import { moveCode } from '../support/people.ts';
import { service } from '../support/service.ts';

const run = promisify(execFile);
/** A program that still runs then is ended, which would else outlive its case. */
const timeout = PATIENCE_MS - 30_000;

describe('npm run demo', function () {
  this.timeout(PATIENCE_MS);

  it('tells its story to the end', async () => {
    const month = (): string => new Date().toISOString().slice(0, 7);
    const began = month();
    const { stdout } = await run(process.execPath, ['scripts/demo.ts'], {
      cwd: ROOT,
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
    assert.match(stdout, /1 more revoked with it; the child: valid: false, ancestor_revoked\.\n/);
    assert.match(stdout, /pc_\w+: completed\n[^]*pc_\w+: submitted\n/);
    assert.match(
      stdout,
      /(\n {3}npm run verify -- \S+ --key \S+log\.vkey\n {3}VERIFIED {2}claim pc_\w+ \(sha256:\w{64}\): 11 checks hold, 3 were not made){2}\n$/,
    );
  });
});

describe('the README', function () {
  this.timeout(PATIENCE_MS);

  it('has a tour that works when it is pasted', async () => {
    const blocks = await blocksOf('README.md', 'tour');
    assert(blocks.length >= 5, 'the blocks of the tour are marked');
    const lines = await paste(blocks);
    const printed = lines.join('\n');
    assert.match(lines[0] ?? '', /^skl_/, printed);
    assert.match(printed, /"held_cents":25/);
    for (const word of ['processing', 'completed', 'HELLO']) assert(lines.includes(word), `${word} in:\n${printed}`);
    assert.equal(lines.at(-1), 'completed', printed);
  });

  it('has a part about money that goes on with the skill of the tour', async () => {
    const [prologue = '', publishing = ''] = await blocksOf('README.md', 'tour');
    const blocks = await blocksOf('README.md', 'money');
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
    const [prologue] = await blocksOf('README.md', 'tour');
    const blocks = await blocksOf('README.md', 'passports');
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

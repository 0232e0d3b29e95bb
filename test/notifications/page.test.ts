import assert from 'node:assert/strict';
import { blocksOf, letTheCheckpointBeMissed, paste, PATIENCE_MS } from '../support/pasted.ts';
import { asTheDemoOwnerAlone } from '../support/people.ts';

describe('docs/notifications.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that work when they are pasted, from a destination to a failed delivery that is redelivered', async () => {
    const blocks = await blocksOf('docs/notifications.md', 'notifications');
    assert(blocks.length >= 8, 'the blocks are marked');
    const [lines] = await asTheDemoOwnerAlone(() => Promise.all([paste(blocks), letTheCheckpointBeMissed('watched')]));
    const printed = lines.join('\n');
    assert.match(printed, /^dst_\w+$/m);
    assert.match(printed, /^{"verified":true}$/m);
    assert.match(printed, /"events":\["passport\.flagged"\]/);
    assert.match(printed, /"delivered":true,"delivery_id":"dlv_\w+",.*"status_code":204/);
    assert.match(printed, /^{"fits":true,"id":"evt_\w+","event_type":"notification\.test"/m);
    assert.match(
      printed,
      /^{"fits":true,"id":"evt_\w+","event_type":"passport\.flagged","severity":"(warning|critical)"/m,
    );
    assert.match(printed, /was flagged[^]*missed_checkpoint/);
    assert.match(printed, /"delivered":false,/);
    assert.match(printed, /"status":"failed","reason":"connect_failed"/);
    assert.match(printed, /\[ 'delivered', 'notification\.test', 204 \],\s+\[ 'failed', 'notification\.test', null \]/);
    assert.match(printed, /"cascaded_count":0/);
    assert.match(printed, /"checkout":{.*"late":false/);
  });

  it('waits for a receiver no longer than it runs, and prints its log', async () => {
    const [, receiver] = await blocksOf('docs/notifications.md', 'notifications');
    assert(receiver !== undefined && receiver.code.includes('receiver.ts'));
    const noNode = "node() { echo 'it does not start'; return 1; }";
    assert.deepEqual(await paste([{ code: noNode }, receiver]), ['it does not start']);
  });
});

describe('docs/events.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that work when they are pasted behind those that verify a destination: a rule, and the feed', async () => {
    const shell = (await blocksOf('docs/notifications.md', 'notifications')).slice(0, 3);
    assert(shell.at(-1)?.code.includes('/verify'), 'the third block verifies the destination');
    const blocks = await blocksOf('docs/events.md', 'events');
    assert.equal(blocks.length, 2, 'the blocks are marked');
    const printed = (await asTheDemoOwnerAlone(() => paste([...shell, ...blocks]))).join('\n');
    assert.match(printed, /"events":\["passport\.\*","invocation\.failed"\],"min_severity":"warning"/);
    const [destination] = /^dst_\w+$/m.exec(printed) ?? [];
    assert.match(printed, new RegExp(`^\\{"id":"evt_\\w+","event_type":"notification\\.test".*${destination}`, 'm'));
  });
});

import assert from 'node:assert/strict';
import { blocksOf, letTheCheckpointBeMissed, paste, PATIENCE_MS } from '../support/pasted.ts';
import { moveCode } from '../support/people.ts';
import { service } from '../support/service.ts';

describe('docs/notifications.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that work when they are pasted, from a destination to a failed delivery that is redelivered', async () => {
    const blocks = await blocksOf('docs/notifications.md', 'notifications');
    assert(blocks.length >= 7, 'the blocks are marked');
    await moveCode(service().credentials.email, 'sent_at', -31); // should somebody have signed in just now
    const [lines] = await Promise.all([paste(blocks), letTheCheckpointBeMissed('watched')]);
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
  });
});

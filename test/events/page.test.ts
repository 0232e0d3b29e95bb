import assert from 'node:assert/strict';
import { blocksOf, paste, PATIENCE_MS } from '../support/pasted.ts';
import { moveCode } from '../support/people.ts';
import { service } from '../support/service.ts';

describe('docs/events.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that work when they are pasted behind those that verify a destination: a rule, and the feed', async () => {
    const shell = (await blocksOf('docs/notifications.md', 'notifications')).slice(0, 3);
    assert(shell.at(-1)?.includes('/verify'), 'the third block verifies the destination');
    const blocks = await blocksOf('docs/events.md', 'events');
    assert.equal(blocks.length, 2, 'the blocks are marked');
    await moveCode(service().credentials.email, 'sent_at', -31); // should somebody have signed in just now
    const printed = (await paste([...shell, ...blocks])).join('\n');
    assert.match(printed, /"events":\["passport\.\*","invocation\.failed"\],"min_severity":"warning"/);
    const [destination] = /^dst_\w+$/m.exec(printed) ?? [];
    assert.match(printed, new RegExp(`^\\{"id":"evt_\\w+","event_type":"notification\\.test".*${destination}`, 'm'));
  });
});

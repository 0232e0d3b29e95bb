import assert from 'node:assert/strict';
import { once } from 'node:events';
import { MockActivityEnvironment } from '@temporalio/testing';
import { activitiesOf } from '../../activities/activities-of.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';

/** Four heartbeats are sent in it, at least. */
const HEARTBEAT_TIMEOUT_MS = 40;

describe('A step whose workflow has a heartbeat timeout', () => {
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  /** A step that lasts until its worker has sent three heartbeats. */
  const run = (worker: MockActivityEnvironment): Promise<unknown> =>
    worker.run(
      activitiesOf(own.context, {
        lasts: async () => {
          for (let times = 0; times < 3; times += 1) await once(worker, 'heartbeat');
        },
      }).lasts,
    );

  it('sends heartbeats while it lasts, and then no more', async () => {
    const [first, second] = [1, 2].map(() => new MockActivityEnvironment({ heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS }));
    assert(first !== undefined && second !== undefined);
    await run(first);
    let late = 0;
    first.on('heartbeat', () => (late += 1));
    await run(second);
    assert.equal(late, 0);
  });
});

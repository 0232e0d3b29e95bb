import assert from 'node:assert/strict';
import { once } from 'node:events';
import { MockActivityEnvironment } from '@temporalio/testing';
import { activity } from '../../activities/activity.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';

/** So that Temporal hears of a worker four times in it, at least. */
const SILENCE_MS = 40;

describe('A step whose workflow wants to be told that the worker lives', () => {
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  /** A step that lasts until its worker has told three times. */
  const run = (worker: MockActivityEnvironment): Promise<void> =>
    worker.run(
      activity(own.context, 'lasts', async () => {
        for (let times = 0; times < 3; times += 1) await once(worker, 'heartbeat');
      }),
    );

  it('tells again and again while it lasts, and then no more', async () => {
    const [first, second] = [1, 2].map(() => new MockActivityEnvironment({ heartbeatTimeoutMs: SILENCE_MS }));
    assert(first !== undefined && second !== undefined);
    await run(first);
    let late = 0;
    first.on('heartbeat', () => (late += 1));
    await run(second);
    assert.equal(late, 0);
  });
});

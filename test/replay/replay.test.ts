import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openRuntime } from '../../temporal/runtime.ts';
import { replayHistories, type Replayed } from '../../temporal/replay.ts';
import { bundleWorkflows } from '../../temporal/workflow-bundle.ts';
import * as workflows from '../../workflows/index.ts';
import { recordedHistories } from './histories.ts';

const CHANGED = fileURLToPath(new URL('./changed-workflows.ts', import.meta.url));

interface History {
  /** A duration is a text such as `60s`. */
  events: { activityTaskScheduledEventAttributes?: { scheduleToCloseTimeout: string } }[];
}

async function replayOn(entry?: string): Promise<Map<string, Replayed>> {
  const results = new Map<string, Replayed>();
  for await (const result of replayHistories(await bundleWorkflows(entry), recordedHistories()))
    results.set(result.name, result);
  return results;
}

describe('Replay of recorded histories', () => {
  const names = [...recordedHistories().keys()];
  let today: Map<string, Replayed>;
  before(async () => {
    await openRuntime(pino({ level: 'silent' }));
    today = await replayOn();
  });

  for (const name of names) {
    it(`${name} replays on the workflow code of today`, () => {
      assert.equal(today.get(name)?.error, undefined);
      assert(today.has(name));
    });
  }

  it('there is a history of every workflow', () => {
    for (const workflow of Object.keys(workflows))
      assert(
        names.some((name) => name.startsWith(`${workflow}/`)),
        workflow,
      );
  });

  it('no step is tried for longer than an hour before its life reads the row again', () => {
    const limits = [...recordedHistories().values()].flatMap((history) =>
      (history as History).events.flatMap(({ activityTaskScheduledEventAttributes: step }) =>
        step === undefined ? [] : [step.scheduleToCloseTimeout],
      ),
    );
    assert(limits.length > 0);
    for (const limit of limits) assert(parseFloat(limit) > 0 && parseFloat(limit) <= 3_600, limit);
  });

  it('the negative control, every workflow with one timer more, replays no history', async () => {
    const replayed = await replayOn(CHANGED);
    assert.deepEqual([...replayed.keys()], names);
    for (const { name, error } of replayed.values()) assert.equal(error?.name, 'DeterminismViolationError', name);
  });
});

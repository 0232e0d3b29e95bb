import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { z } from 'zod';
import { dataConverter } from './client.ts';

/** The part of a history's JSON (as the CLI, the UI and `historyToJSON` write it) that says whose it is. */
const Started = z.looseObject({
  events: z.tuple(
    [z.looseObject({ workflowExecutionStartedEventAttributes: z.looseObject({ workflowId: z.string() }) })],
    z.unknown(),
  ),
});

export interface Replayed {
  name: string;
  /** The fault that replay found, `DeterminismViolationError` where the code takes another way than the history. */
  error: Error | undefined;
}

/**
 * Runs workflow code against histories of earlier runs, by name. Nothing outside of the workflow is called.
 * @throws ZodError for a history that does not begin with its start.
 */
export async function* replayHistories(
  workflowBundle: WorkflowBundleWithSourceMap,
  histories: ReadonlyMap<string, unknown>,
): AsyncGenerator<Replayed> {
  const names = histories.keys();
  const results = Worker.runReplayHistories(
    { workflowBundle, dataConverter },
    [...histories.values()].map((history) => ({ workflowId: workflowIdOf(history), history: history as never })), // JSON is taken too
  );
  for await (const { error } of results) yield { name: String(names.next().value), error };
}

const workflowIdOf = (history: unknown): string =>
  Started.parse(history).events[0].workflowExecutionStartedEventAttributes.workflowId;

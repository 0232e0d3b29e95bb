import type { Context } from '../../context/context.ts';
import type { ModelCaller } from '../../models/model-caller.ts';
import type { ScriptRunner } from '../../sandbox/script-runner.ts';

/** The context that executing a step needs. */
export interface ExecutorContext extends Context {
  readonly models: ModelCaller;
  readonly scripts: ScriptRunner;
}

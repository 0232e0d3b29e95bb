import type { ScriptRunner } from '../../src/sandbox/script-runner.ts';
import { ProcessScriptRunner, type ScriptRunnerSettings } from './runner.ts';

/**
 * Runs scripts of strangers, each in a process behind walls. Which walls the system allows is found by a trial and written to the log; a
 * runtime is loaded with its first run.
 */
export const createScriptRunner = (settings: ScriptRunnerSettings): ScriptRunner => new ProcessScriptRunner(settings);

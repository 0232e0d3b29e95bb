import type { ScriptRunner } from '../../src/sandbox/script-runner.ts';
import { ProcessScriptRunner, type ScriptRunnerSettings } from './runner.ts';

/**
 * Runs scripts of strangers, each in a process behind walls. With the first run a trial finds which walls the system allows and writes it to
 * the log, and a runtime is loaded with its first run: a worker without scripts pays for neither.
 */
export const createScriptRunner = (settings: ScriptRunnerSettings): ScriptRunner => new ProcessScriptRunner(settings);

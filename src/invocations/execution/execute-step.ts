import { setTimeout } from 'node:timers/promises';
import { faultPoint } from '../../commands/fault-points.ts';
import type { Context } from '../../context/context.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { newId } from '../../ids/ids.ts';
import { canonicalJson, sha256Hex } from '../../json/canonical.ts';
import { assertFewValues, parseStrictJson, StrictJsonFault } from '../../json/strict.ts';
import type { JsonObject } from '../../json/value.ts';
import { metrics } from '../../metrics/metrics.ts';
import { costOfScript, maxCostOfModelStep, stepsOfSkill, type RunStep } from '../../skills/index.ts';
import { checkOutput } from '../payload-check.ts';
import { MAX_PAYLOAD_VALUES } from '../schema.ts';
import { askModel } from './ask-model.ts';
import { placeOfFailure } from './console.ts';
import type { ExecutorContext } from './executor.ts';
import {
  beginSealedStep,
  endSealedStep,
  findSealedRun,
  type KeySource,
  type SealedRun,
  type StepResult,
} from './queries.ts';

/** A database that is away for so long loses the end of a step, which then counts as interrupted. Milliseconds between tries. */
const END_PAUSES_MS = [200, 500, 1_000, 2_000, 4_000, 8_000];

const executedSteps = metrics.counter(
  'carnet_executed_steps',
  'Steps of sealed and source skills, by kind and what came of them',
);

/**
 * Executes the next step of an invocation whose skill the service executes: writes that it runs, runs it, and writes what came of it,
 * which ends the invocation with the last step and with one that fails. Repeating it runs nothing that is done, and asks no model twice.
 * @throws Error where the machine could not run a script: trying again does
 */
export async function executeSealedStep(context: ExecutorContext, id: string): Promise<void> {
  const run = await findSealedRun(context.pool, id);
  if (run === null) return;
  const steps = await stepsOfSkill(context, run.skill_id);
  const [index, planned] = [run.steps_done, steps[run.steps_done]];
  if (planned === undefined) throw new Error('An execution under way has no step left.');
  const begun = await beginSealedStep(context.pool, {
    id,
    index,
    kind: planned.kind,
    stepId: planned.kind === 'script' ? newId('mch') : newId('llm'),
    model:
      planned.kind === 'script'
        ? null
        : { provider: planned.provider, maxMicrocents: maxCostOfModelStep(context.config, planned) ?? 0 },
  });
  faultPoint('executeSealedStep:begun');
  if (begun === null) return announce(context, id);
  const isLast = index === steps.length - 1;
  const ran = await runStep(context, { run, planned, ...begun });
  faultPoint('executeSealedStep:ran');
  const result =
    isLast && ran.error_code === null
      ? await checkedOrCharged(context, { id, result: ran, isOwn: isOwnRun(run) })
      : ran;
  executedSteps.add(1, { kind: planned.kind, outcome: result.error_code ?? 'done' });
  await persisting(() =>
    endSealedStep(context.pool, {
      id,
      index,
      attempt: begun.attempt,
      result,
      isLast,
      outputHash:
        !isLast || result.output === null ? null : sha256Hex(canonicalJson(JSON.parse(result.output) as JsonObject)),
      transferId: newId('txn'),
    }),
  );
  faultPoint('executeSealedStep:committed');
  announce(context, id);
}

/** Those who wait on the invocation read it again; an end leaves messages. */
function announce({ rowEvents, delivery }: Context, id: string): void {
  rowEvents.changed(id);
  delivery.messagesCommitted();
}

async function runStep(
  context: ExecutorContext,
  { run, planned, input, keySource }: { run: SealedRun; planned: RunStep; input: string; keySource: KeySource },
): Promise<StepResult> {
  if (planned.kind === 'llm') return askModel(context, { run, step: planned, input, keySource });
  const { runtime, script, dependencies } = planned;
  const outcome = await context.scripts.run({
    runtime,
    script,
    dependencies,
    input,
    caller: run.consumer_operator_id,
    author: run.provider_operator_id,
  });
  if (outcome.outcome === 'interrupted') throw new Error(outcome.sentence);
  const { computeMs } = outcome;
  const spent = {
    cost_microcents: costOfScript(context.config, computeMs),
    duration_ms: computeMs,
    asked: false,
    model_call: null,
  };
  if (outcome.outcome === 'returned') {
    return { ...spent, output: outcome.output, error_code: null, error_message: null, console: null };
  }
  const printed = isOwnRun(run) ? outcome.console : placeOfFailure(outcome.console);
  return { ...spent, output: null, error_code: outcome.code, error_message: outcome.message, console: printed };
}

const isOwnRun = (run: SealedRun): boolean => run.consumer_operator_id === run.provider_operator_id;

/** The step was run, and a model is not asked again: where its output cannot be checked now, the run ends and is charged. */
async function checkedOrCharged(
  context: Context,
  run: { id: string; result: StepResult; isOwn: boolean },
): Promise<StepResult> {
  try {
    return await persisting(() => checked(context, run));
  } catch (error) {
    context.log.error({ err: error, invocation: run.id }, 'the output of an execution could not be checked');
    const message = 'The output could not be checked against the output schema for now; invoke it again.';
    return refused(run.result, { code: 'OUTPUT_NOT_CHECKED', message });
  }
}

/** The output of the last step as the buyer gets it, or why it is none. Names and values of it are no owner's, unless the run is their own. */
async function checked(
  context: Context,
  { id, result, isOwn }: { id: string; result: StepResult; isOwn: boolean },
): Promise<StepResult> {
  const output = result.output ?? '';
  try {
    assertFewValues(Buffer.from(output), MAX_PAYLOAD_VALUES);
    parseStrictJson(output);
  } catch (error) {
    if (!(error instanceof StrictJsonFault)) throw error;
    return refused(result, {
      code: 'OUTPUT_INVALID',
      message: 'The output is not JSON that an invocation can carry.',
      console: isOwn ? error.message : null,
    });
  }
  const faults = await checkOutput(context, id, { output, authority: null, placesOfSchema: !isOwn });
  if (faults.length === 0) return result;
  return refused(result, {
    code: 'OUTPUT_SCHEMA_MISMATCH',
    message: 'The output does not match the output schema of the skill.',
    console: faults.map(({ path, message }) => `${path}: ${message}`).join('\n'),
  });
}

/** The cost of a step, without its output. */
const refused = (
  result: StepResult,
  { code, message, console = null }: { code: string; message: string; console?: string | null },
): StepResult => ({ ...result, output: null, error_code: code, error_message: message, console });

/** Writes what is known now and nowhere else: a database that comes back soon loses nothing. */
async function persisting<Result>(write: () => Promise<Result>): Promise<Result> {
  for (const pause of END_PAUSES_MS) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof CarnetError && error.code === 'TEMPORARILY_UNAVAILABLE')) throw error;
    }
    await setTimeout(pause);
  }
  return write();
}

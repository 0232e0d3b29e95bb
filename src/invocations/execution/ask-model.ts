import { apiKeyOf } from '../../credentials/index.ts';
import { costOfCall, countedUsage } from '../../models/cost.ts';
import type { ModelOutcome, ModelQuestion } from '../../models/model-caller.ts';
import { pricesOfModel } from '../../models/settings.ts';
import { MAX_MODEL_INPUT_BYTES, type LlmStep } from '../../skills/index.ts';
import type { ExecutorContext } from './executor.ts';
import type { KeySource, SealedRun, StepResult } from './queries.ts';

const failed = (code: string, message: string, spent: Partial<StepResult> = {}): StepResult => ({
  cost_microcents: 0,
  duration_ms: 0,
  asked: false,
  model_call: null,
  output: null,
  console: null,
  ...spent,
  error_code: code,
  error_message: message,
});

/** An author's prompt may ask for a long answer. */
const MODEL_TIMEOUT_MS = 120_000;
/** Calls that did not leave this machine are made again so often. */
const MAX_TRIES = 3;

/**
 * Asks the model of a step, with the author's prompt and the step's input as JSON. Its output is `{"text": answer}`. Neither prompt nor
 * answer is kept: the answer is the next step's input, or the output.
 */
export async function askModel(
  context: ExecutorContext,
  { run, step, input, keySource }: { run: SealedRun; step: LlmStep; input: string; keySource: KeySource },
): Promise<StepResult> {
  const prices = pricesOfModel(context.config.modelProviders, step);
  if (prices === undefined) return failed('MODEL_UNAVAILABLE', 'The model of this step is not offered any more.');
  if (Buffer.byteLength(input) > MAX_MODEL_INPUT_BYTES) {
    return failed('MODEL_INPUT_TOO_LARGE', `The input of a model has ${MAX_MODEL_INPUT_BYTES} bytes of JSON at most.`);
  }
  const apiKey = await keyOf(context, { run, step, keySource });
  if (apiKey === null) return failed('CREDENTIAL_REQUIRED', 'The key for the model provider of this step is gone.');
  const question: ModelQuestion = {
    provider: step.provider,
    model: step.model,
    system: step.system,
    user: input,
    maxTokens: step.maxTokens,
    timeoutMs: MODEL_TIMEOUT_MS,
    ...(step.temperature !== undefined && { temperature: step.temperature }),
    ...(apiKey !== undefined && { apiKey }),
  };
  const began = performance.now();
  const outcome = await ask(context, question);
  const duration_ms = Math.round(performance.now() - began);
  if (outcome.outcome === 'not_sent') {
    return failed('MODEL_UNAVAILABLE', 'The provider of the model cannot be reached.', { duration_ms });
  }
  if (outcome.outcome === 'refused') {
    return failed('MODEL_REFUSED', 'The provider of the model refused the call.', { duration_ms, asked: true });
  }
  if (outcome.outcome === 'unknown') {
    const message = 'No answer of the model came that can be used. What it may have cost is not charged.';
    return failed('MODEL_FAILED', message, { duration_ms, asked: true, cost_microcents: null });
  }
  const usage = countedUsage(question, outcome.usage);
  const spent = {
    duration_ms,
    asked: true,
    cost_microcents: costOfCall(usage, prices),
    model_call: {
      operation: 'sealed_step',
      provider: step.provider,
      model: step.model,
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      total_tokens: usage.totalTokens,
      cached_prompt_tokens: usage.cachedPromptTokens,
      streaming: false,
    },
  };
  if (!outcome.isWhole) {
    const message = `The model did not come to an end within ${step.maxTokens} tokens, or declined to answer.`;
    return failed('MODEL_ANSWER_CUT_OFF', message, spent);
  }
  const output = JSON.stringify({ text: outcome.text });
  return { ...spent, output, error_code: null, error_message: null, console: null };
}

/** @returns undefined: the platform's own; null: the customer's is gone */
const keyOf = async (
  context: ExecutorContext,
  { run, step: { provider }, keySource }: { run: SealedRun; step: LlmStep; keySource: KeySource },
): Promise<string | null | undefined> => {
  if (keySource === 'platform') return undefined;
  const operatorId = keySource === 'buyer' ? run.consumer_operator_id : run.provider_operator_id;
  return apiKeyOf(context, { operatorId, provider });
};

async function ask({ models, log }: ExecutorContext, question: ModelQuestion): Promise<ModelOutcome> {
  for (let left = MAX_TRIES; ; left -= 1) {
    try {
      const outcome = await models.ask(question);
      if (outcome.outcome !== 'not_sent' || left === 1) return outcome;
    } catch (error) {
      log.error({ err: error }, 'a fault of the service interrupted a call of a model');
      return { outcome: 'unknown', sentence: 'A fault of the service interrupted the call.' };
    }
  }
}

import type { CommonQueryMethods } from '../../database/pool.ts';
import type { ScriptRuntime } from '../../sandbox/script-runner.ts';
import { findCode } from '../queries.ts';
import { dependencyNames, MAX_ANSWER_TOKENS, MAX_TEMPERATURE, type Code } from '../skill-code.ts';

/** Tokens of an answer at most, where the publisher names no max_tokens. */
const STANDARD_MAX_TOKENS = 1_024;

interface ScriptStep {
  kind: 'script';
  label: string | null;
  runtime: ScriptRuntime;
  script: string;
  dependencies: string[];
}

export interface LlmStep {
  kind: 'llm';
  label: string | null;
  provider: string;
  model: string;
  /** The author's prompt; empty: none. */
  system: string;
  /** Tokens. */
  maxTokens: number;
  temperature: number | undefined;
}

/** One step of what the service executes. */
export type RunStep = ScriptStep | LlmStep;

type Config = NonNullable<Code['llm_config']>;

const llmStep = ({
  label,
  provider,
  model,
  config,
}: {
  label: string | null;
  provider: string;
  model: string;
  config: Config | null;
}): LlmStep => ({
  kind: 'llm',
  label,
  provider,
  model,
  system: config?.system_prompt ?? '',
  maxTokens: Math.min(MAX_ANSWER_TOKENS, Math.max(1, Math.ceil(config?.max_tokens ?? STANDARD_MAX_TOKENS))),
  temperature: config?.temperature === undefined ? undefined : Math.min(MAX_TEMPERATURE, config.temperature),
});

/** The steps in their order; the flat fields are one step. Empty: there is nothing to execute. */
export function stepsOf(code: Code): RunStep[] {
  if (code.execution_steps) {
    return code.execution_steps.map((step) =>
      step.type === 'script'
        ? { kind: 'script', label: step.label, runtime: step.runtime, script: step.script, dependencies: [] }
        : llmStep({
            label: step.label,
            provider: step.llm_provider,
            model: step.llm_model,
            config: step.llm_config ?? null,
          }),
    );
  }
  const { execution_script: script, execution_runtime: runtime } = code;
  if (script && runtime !== 'none') {
    const dependencies = dependencyNames(code.dependencies);
    // A script that names no runtime is JavaScript, as most are.
    return [
      { kind: 'script', label: null, runtime: runtime === 'python' ? 'python' : 'javascript', script, dependencies },
    ];
  }
  if (code.llm_enabled === true && code.llm_model) {
    return [
      llmStep({
        label: null,
        provider: code.llm_provider ?? '',
        model: code.llm_model,
        config: code.llm_config ?? null,
      }),
    ];
  }
  return [];
}

/** The steps of a skill, which never change once it is published. */
export const findSteps = async (connection: CommonQueryMethods, skillId: string): Promise<RunStep[]> => {
  const code = await findCode(connection, skillId);
  return code === null ? [] : stepsOf(code);
};

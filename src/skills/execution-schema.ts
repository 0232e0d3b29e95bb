import { z } from 'zod';
import { lengthOf, text } from '../fields/fields.ts';
import { nameText } from './fields.ts';

/** Market §8: characters of all scripts of a pipeline, of the flat script, of the flat dependencies. */
const STEP_SCRIPT_CHARACTERS = 500_000;
const SCRIPT_CHARACTERS = 100_000;
const DEPENDENCIES_CHARACTERS = 10_000;

const LlmConfigSchema = z.strictObject({
  temperature: z.number().min(0).optional(),
  max_tokens: z.number().min(0).optional(),
  system_prompt: text(0, 2_000).optional(),
});

const ScriptStepSchema = z.strictObject({
  type: z.literal('script'),
  label: nameText,
  runtime: z.enum(['javascript', 'python']),
  script: z.string().min(1),
});

const LlmStepSchema = z.strictObject({
  type: z.literal('llm'),
  label: nameText,
  llm_provider: nameText,
  llm_model: nameText,
  llm_config: LlmConfigSchema.optional(),
});

export const ExecutionStepSchema = z.discriminatedUnion('type', [ScriptStepSchema, LlmStepSchema]).meta({
  id: 'ExecutionStep',
  description: 'A script step or a model step of a pipeline; the output of one is the input of the next.',
});

const executionSteps = z
  .array(ExecutionStepSchema)
  .min(1)
  .max(10)
  .refine(
    (steps) =>
      steps.reduce((sum, step) => sum + (step.type === 'script' ? lengthOf(step.script) : 0), 0) <=
      STEP_SCRIPT_CHARACTERS,
    `must have at most ${STEP_SCRIPT_CHARACTERS} characters of script in total`,
  );

/** What a skill may execute, as published: a pipeline of steps, or the flat fields that came before it. */
export const executionFields = {
  execution_steps: executionSteps.optional(),
  llm_enabled: z.boolean().optional(),
  llm_provider: nameText.optional(),
  llm_model: nameText.optional(),
  llm_config: LlmConfigSchema.optional(),
  execution_script: text(0, SCRIPT_CHARACTERS).optional(),
  execution_runtime: z.enum(['python', 'javascript', 'none']).optional(),
  dependencies: text(0, DEPENDENCIES_CHARACTERS).optional(),
};
const ExecutionSchema = z.object(executionFields);
export type Execution = z.output<typeof ExecutionSchema>;

/** How the fields that only some may see are shown; absent where they are not shown at all (decisions K12). */
export const codeFields = {
  execution_steps: z.array(ExecutionStepSchema).nullable().optional(),
  execution_script: z.string().nullable().optional(),
  dependencies: z.string().nullable().optional(),
  llm_config: LlmConfigSchema.nullable().optional(),
};
const CodeSchema = z.object(codeFields);
export type Code = Required<z.output<typeof CodeSchema>>;

/** How nothing to execute is shown. */
export const NO_CODE: Code = { execution_steps: null, execution_script: null, dependencies: null, llm_config: null };

const NOT_BESIDE_STEPS = ['execution_script', 'execution_runtime', 'dependencies', 'llm_enabled', 'llm_model'] as const;

/** Market §2.1 rule 1, whatever the value (decisions K52); llm_provider and llm_config beside steps are stored. */
export const legacyFieldsBesideSteps = (body: Execution): string[] =>
  body.execution_steps === undefined ? [] : NOT_BESIDE_STEPS.filter((field) => Object.hasOwn(body, field));

/** Any step, script or model, whether it could run or not: what review is about (decisions K1). */
export const hasCode = (body: Execution): boolean =>
  body.execution_steps !== undefined ||
  body.execution_script !== undefined ||
  body.dependencies !== undefined ||
  body.llm_provider !== undefined ||
  body.llm_model !== undefined ||
  body.llm_config !== undefined ||
  body.llm_enabled === true ||
  (body.execution_runtime ?? 'none') !== 'none';

/** Something that a sealed or source skill can run (decisions K15). */
export const isExecutable = (body: Execution): boolean =>
  body.execution_steps !== undefined ||
  ((body.execution_script ?? '') !== '' && body.execution_runtime !== 'none') ||
  (body.llm_enabled === true && body.llm_model !== undefined);

import { z } from 'zod';
import { lengthOf, text, name as nameText } from '../fields/text.ts';

/** The code of a skill: steps, script, dependencies and model settings. */

/** Characters of all scripts of a pipeline together, of the single script, and of its dependencies. */
const MAX_STEP_SCRIPTS_CHARACTERS = 500_000;
const MAX_SCRIPT_CHARACTERS = 100_000;
const MAX_DEPENDENCIES_CHARACTERS = 10_000;
/** Limits what a model is told in one step. */
const MAX_SYSTEM_PROMPT_CHARACTERS = 100_000;

/** Tokens of an answer: more than any model gives, and a number whose price is exact. */
export const MAX_ANSWER_TOKENS = 1_000_000;
/** Model providers take no more. */
export const MAX_TEMPERATURE = 2;

const LlmConfigSchema = z
  .strictObject({
    temperature: z.number().min(0).max(MAX_TEMPERATURE).optional(),
    max_tokens: z.int().min(1).max(MAX_ANSWER_TOKENS).optional(),
    system_prompt: text(0, MAX_SYSTEM_PROMPT_CHARACTERS).optional(),
  })
  .meta({ id: 'LlmConfig' });

/** As it was stored, maybe before its numbers had a limit. */
const StoredLlmConfigSchema = z
  .object({
    temperature: z.number().optional(),
    max_tokens: z.number().optional(),
    system_prompt: z.string().optional(),
  })
  .meta({ id: 'StoredLlmConfig' });

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

const ExecutionStepSchema = z.discriminatedUnion('type', [ScriptStepSchema, LlmStepSchema]).meta({
  id: 'ExecutionStep',
  description: 'A script step or a model step of a pipeline; the output of one is the input of the next.',
});

const StoredStepSchema = z
  .discriminatedUnion('type', [
    ScriptStepSchema,
    LlmStepSchema.extend({ llm_config: StoredLlmConfigSchema.optional() }),
  ])
  .meta({ id: 'StoredExecutionStep' });

const executionSteps = z
  .array(ExecutionStepSchema)
  .min(1)
  .max(10)
  .refine(
    (steps) =>
      steps.reduce((sum, step) => sum + (step.type === 'script' ? lengthOf(step.script) : 0), 0) <=
      MAX_STEP_SCRIPTS_CHARACTERS,
    `must have at most ${MAX_STEP_SCRIPTS_CHARACTERS} characters of script in total`,
  );

/** The code of a skill as it is published: a pipeline of steps, or a single script or model. */
export const executionFields = {
  execution_steps: executionSteps.optional(),
  llm_enabled: z.boolean().optional(),
  llm_provider: nameText.optional(),
  llm_model: nameText.optional(),
  llm_config: LlmConfigSchema.optional(),
  execution_script: text(0, MAX_SCRIPT_CHARACTERS).optional(),
  execution_runtime: z.enum(['python', 'javascript', 'none']).optional(),
  dependencies: text(0, MAX_DEPENDENCIES_CHARACTERS).optional(),
};
const ExecutionSchema = z.object(executionFields);
type Execution = z.output<typeof ExecutionSchema>;

/** The code of a skill as it is shown; the fields are absent for callers who may not see them. */
export const codeFields = {
  execution_steps: z.array(StoredStepSchema).nullable().optional(),
  execution_script: z.string().nullable().optional(),
  execution_runtime: z.string().nullable().optional(),
  dependencies: z.string().nullable().optional(),
  llm_enabled: z.boolean().nullable().optional(),
  llm_provider: z.string().nullable().optional(),
  llm_model: z.string().nullable().optional(),
  llm_config: StoredLlmConfigSchema.nullable().optional(),
};
const CodeSchema = z.object(codeFields);
export type Code = Required<z.output<typeof CodeSchema>>;

/** How a skill without code is shown. */
export const NO_CODE: Code = {
  execution_steps: null,
  execution_script: null,
  execution_runtime: null,
  dependencies: null,
  llm_enabled: null,
  llm_provider: null,
  llm_model: null,
  llm_config: null,
};

/** The names in a list of dependencies: one a line or between commas, comments behind `#`. */
export const dependencyNames = (dependencies: string | null | undefined): string[] =>
  (dependencies ?? '')
    .split('\n')
    .flatMap((line) => (line.split('#')[0] ?? '').split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');

const SINGLE_SCRIPT_FIELDS = [
  'execution_script',
  'execution_runtime',
  'dependencies',
  'llm_enabled',
  'llm_model',
] as const;

/** Those that were sent, regardless of their value; llm_provider and llm_config may stand beside steps and are stored. */
export const singleScriptFieldsBesideSteps = (body: Execution): string[] =>
  body.execution_steps === undefined ? [] : SINGLE_SCRIPT_FIELDS.filter((field) => Object.hasOwn(body, field));

/** Whether anything is set that is shown as code, were it only that there is none. */
export const hasCodeFields = (body: Execution): boolean =>
  Object.keys(executionFields).some((field) => body[field as keyof Execution] !== undefined);

/** Any step, script or model, whether it could run or not: then the skill is reviewed (decision K1). */
export const hasCode = (body: Execution): boolean =>
  body.execution_steps !== undefined ||
  body.execution_script !== undefined ||
  body.dependencies !== undefined ||
  body.llm_provider !== undefined ||
  body.llm_model !== undefined ||
  body.llm_config !== undefined ||
  body.llm_enabled === true ||
  (body.execution_runtime ?? 'none') !== 'none';

/** Whether there is something to run; a sealed or source skill is approved only then. */
export const isExecutable = (body: Execution): boolean =>
  body.execution_steps !== undefined ||
  ((body.execution_script ?? '') !== '' && body.execution_runtime !== 'none') ||
  (body.llm_enabled === true && body.llm_provider !== undefined && body.llm_model !== undefined);

/** The single fields of what the service executes that would be left out, or could never run, each with what to do. */
export function singleFieldFaults(body: Execution): { field: string; message: string }[] {
  if (body.llm_enabled !== true) return [];
  if ((body.execution_script ?? '') !== '' && body.execution_runtime !== 'none')
    return [{ field: 'llm_enabled', message: 'cannot stand beside execution_script: put both into execution_steps' }];
  return (['llm_provider', 'llm_model'] as const)
    .filter((field) => body[field] === undefined)
    .map((field) => ({ field, message: 'is required where llm_enabled is true' }));
}

/** The models that the service would ask, each with where the body names it. */
export const modelsOf = (body: Execution): { path: string; provider: string; model: string }[] => [
  ...(body.execution_steps ?? []).flatMap((step, index) =>
    step.type === 'llm'
      ? [{ path: `execution_steps.${index}.llm_model`, provider: step.llm_provider, model: step.llm_model }]
      : [],
  ),
  ...(body.llm_enabled === true && body.llm_provider !== undefined && body.llm_model !== undefined
    ? [{ path: 'llm_model', provider: body.llm_provider, model: body.llm_model }]
    : []),
];

/** Whether the service may ask models by the key of who offers the skill. */
export const isAnsweredBySeller = ({
  execution_mode: mode,
  credential_mode: keys,
}: {
  execution_mode: string;
  credential_mode: string;
}): boolean => mode !== 'open' && (keys === 'seller_provides' || keys === 'both');

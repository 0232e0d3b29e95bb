import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import type { Context } from '../../../src/context/context.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { advanceInvocation, executeSealedStep, type ExecutorContext } from '../../../src/invocations/index.ts';
import { boundOfSkill, modelCallsOfSkill } from '../../../src/skills/index.ts';
import type { ModelCaller, ModelOutcome, ModelQuestion } from '../../../src/models/model-caller.ts';
import type { ScriptOutcome, ScriptRun, ScriptRunner } from '../../../src/sandbox/script-runner.ts';
import { insertSkill } from '../../../src/skills/publishing/write-queries.ts';
import { PublishSkillSchema } from '../../../src/skills/schema.ts';
import { newWallet, run } from '../../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../own-context.ts';

/** The model of the tests, 2 microcents a token read, 1 one read from a cache, 10 one written. */
export const PROVIDER = {
  slug: 'tiny',
  kind: 'openai' as const,
  baseUrl: 'http://127.0.0.1:1',
  apiKey: undefined,
  models: new Map([['one', { input: 2_000_000, cached: 1_000_000, output: 10_000_000 }]]),
};
export const scriptStep = (script = 'main = (x) => x') => ({
  type: 'script',
  label: 'first',
  runtime: 'javascript',
  script,
});
export const modelStep = (config: object = { max_tokens: 100, system_prompt: 'Summarise.' }) => ({
  type: 'llm',
  label: 'ask',
  llm_provider: 'tiny',
  llm_model: 'one',
  llm_config: config,
});

/** Stands where scripts run and models answer, which other tests try: each takes what a test has prepared, in order. */
export interface Doubles {
  scripts: (ScriptOutcome | ((run: ScriptRun) => Promise<ScriptOutcome>))[];
  models: ModelOutcome[];
  /** How often each was asked. */
  ran: number;
  asked: ModelQuestion[];
}

export interface World {
  context: ExecutorContext;
  doubles: Doubles;
  /** Approved and public. @returns its id */
  publish(
    owner: string,
    skill: { price?: number; steps?: object[]; mode?: 'sealed' | 'source'; review?: boolean; more?: object },
  ): Promise<string>;
  invoke(
    consumer: string,
    skill: string,
    options?: { agent?: string; passport?: string; mission?: string; input?: string; trial?: boolean },
  ): Promise<string>;
  /** Does what the life does until it waits or ends, and returns the status. */
  live(id: string): Promise<string>;
  show(id: string): Promise<Row>;
}

const Row = z.object({
  status: z.string(),
  error: z.string().nullable(),
  output: z.string().nullable(),
  price_cents: z.number(),
  compute_bound_cents: z.number(),
  compute_cents: z.number(),
});
type Row = z.output<typeof Row>;

/** @param asking who asks models, in the place of the double */
export function worldOn(base: Context, asking?: ModelCaller): World {
  const doubles: Doubles = { scripts: [], models: [], ran: 0, asked: [] };
  const scripts: ScriptRunner = {
    async run(asked) {
      doubles.ran += 1;
      const next = doubles.scripts.shift();
      if (next === undefined) throw new Error('No script was expected.');
      return typeof next === 'function' ? next(asked) : next;
    },
    close: async () => {},
  };
  const models: ModelCaller = {
    async ask(question) {
      doubles.asked.push(question);
      const next = doubles.models.shift();
      if (next === undefined) throw new Error('No question was expected.');
      return next;
    },
  };
  const context: ExecutorContext = {
    ...base,
    config: { ...base.config, modelProviders: [PROVIDER, ...base.config.modelProviders] },
    scripts,
    models: asking ?? models,
  };
  const { pool } = context;
  return {
    context,
    doubles,
    async publish(owner, { price = 0, steps = [scriptStep()], mode = 'sealed', review = false, more = {} }) {
      const id = newId('skl');
      const body = PublishSkillSchema.parse({
        name: id.toLowerCase().replace('_', '-'),
        description: 'made by a test',
        version: '1.0.0',
        input_schema: { type: 'object' },
        output_schema: { type: 'object', not: { required: ['forbidden'] } },
        trust_level_required: 'L0',
        price_per_invocation: price,
        execution_mode: mode,
        execution_steps: steps,
        ...more,
      });
      await pool.transaction((connection) => insertSkill(connection, { id, operatorId: owner, body, review }));
      return id;
    },
    async invoke(consumer, skill, { agent, passport, mission, input = '{"text":"hello"}', trial = false } = {}) {
      const id = newId('inv');
      const bound = await boundOfSkill(context, skill);
      await pool.one(sql.type(z.object({ snapshot: z.string() }))`
        select snapshot from invoke_skill(
          p_operator => ${consumer}, p_agent_part => '', p_actor => 'test', p_key => null, p_fingerprint => null, p_request => null,
          p_invocation => ${id}, p_hold => ${newId('hld')}, p_skill => ${skill}, p_revision => 1, p_input => ${input}, p_input_hash => 'hash',
          p_input_fits => true, p_agent => ${agent ?? null}, p_passport => ${passport ?? null}, p_api_key => null, p_api_key_limit => null,
          p_ttl_seconds => 3600, p_max_price => null, p_compute_bound => ${bound}, p_trial => ${trial},
          p_mission => ${mission ?? null},
          p_model_calls => ${JSON.stringify(await modelCallsOfSkill(context, skill))}::jsonb)`);
      return id;
    },
    async live(id) {
      for (;;) {
        const step = await advanceInvocation(context, id);
        if (step.stepsDone === null) return step.status;
        await executeSealedStep(context, id);
      }
    },
    show: (id) =>
      pool.one(sql.type(Row)`
        select status, error, output, price_cents, compute_bound_cents, compute_cents from invocations where id = ${id}`),
  };
}

/** Everything that a test of executions uses: a world for all of its block, and two operators of its own. */
export interface Execution {
  own: OwnContext;
  db: DatabasePool;
  world: World;
  consumer: string;
  provider: string;
}

/**
 * For the block that calls it: a database of its own, and before each test new operators and doubles that were prepared for nothing. After
 * each the ledger is right.
 * @param cents what the wallets of the two have
 * @param set takes them into the variables of the block
 */
export function eachExecution(
  cents: { consumer: number; provider: number },
  set: (execution: Execution) => unknown,
): void {
  let all: Omit<Execution, 'consumer' | 'provider'>;
  before(async () => {
    const own = await ownContext();
    all = { own, db: own.context.pool, world: worldOn(own.context) };
  });
  after(() => all.own.close());
  beforeEach(async () => {
    const { db, world } = all;
    Object.assign(world.doubles, { scripts: [], models: [], ran: 0, asked: [] });
    set({ ...all, consumer: await newWallet(db, cents.consumer), provider: await newWallet(db, cents.provider) });
  });
  afterEach(() => assertLedger(all.db));
}

/** A script that ran `computeMs` milliseconds. */
export const returned = (output: object, computeMs = 100): ScriptOutcome => ({
  outcome: 'returned',
  output: JSON.stringify(output),
  computeMs,
  console: '',
});
export const threw = (console = 'Error: no', computeMs = 100): ScriptOutcome => ({
  outcome: 'failed',
  code: 'SCRIPT_FAILED',
  message: 'The script threw an exception.',
  computeMs,
  console,
});
export const answered = (text: string, prompt = 50, completion = 20): ModelOutcome => ({
  outcome: 'answered',
  text,
  isWhole: true,
  usage: {
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: prompt + completion,
    cachedPromptTokens: null,
  },
});

/** Moves the deadline of an execution into the past. */
export const overdue = (context: Context, id: string) =>
  run(context.pool, sql.fragment`update invocations set expires_at = clock_timestamp() where id = ${id}`);

import { randomUUID } from 'node:crypto';
import type { Api } from './client.ts';
import { InvocationFailed, StillRunning, UnclearError } from './errors.ts';
import type { BrowseSkillsAnswer, EvidencedInvocation, Invocation, Operations } from './generated.ts';

export type FoundSkill = BrowseSkillsAnswer['skills'][number];

export type Sort = NonNullable<NonNullable<Operations['browseSkills']['arguments']['query']>['sort']>;

export interface FindOptions {
  /** Dearer skills are left out. */
  maxPriceCents?: number;
  sort?: Sort;
  limit?: number;
}

export interface InvokeOptions {
  /** A dearer skill is refused, by PriceChanged. */
  maxPriceCents?: number;
  /** Made where it is left out. Keep one of your own to repeat the call in another process. */
  idempotencyKey?: string;
  /** How long to wait for the output, 60 seconds unless set; then StillRunning is thrown. */
  waitSeconds?: number;
  /** The mission that it is for. */
  missionId?: string;
  /** The passport (its jti) whose agent invokes. */
  passportId?: string;
  signal?: AbortSignal;
}

export interface Result<Output = Record<string, unknown>> {
  id: string;
  output: Output;
  /** The cost, of which 1,000,000 are a cent. */
  costMicrocents: number;
}

const MICROCENTS = 1_000_000;
/** The service waits no longer in one call. */
const LONGEST_WAIT = 60;

export interface Market {
  /** Finds skills by any of these words, best first. */
  find(words: string, options?: FindOptions): Promise<FoundSkill[]>;
  /**
   * Invokes a skill and waits for its output. It is paid at most once, however often it is sent.
   * @throws CarnetError for a refusal, InvocationFailed, StillRunning; UnclearError where nobody knows
   */
  invoke<Output = Record<string, unknown>>(
    skill: string | { id: string },
    input: Record<string, unknown>,
    options?: InvokeOptions,
  ): Promise<Result<Output>>;
  /** Waits on for an invocation. */
  result<Output = Record<string, unknown>>(
    id: string,
    options?: Pick<InvokeOptions, 'waitSeconds' | 'signal'>,
  ): Promise<Result<Output>>;
}

export function createMarket(api: Api): Market {
  const result: Market['result'] = async (id, { waitSeconds = LONGEST_WAIT, signal } = {}) => {
    const until = Date.now() + waitSeconds * 1_000;
    for (;;) {
      const wait = Math.min(LONGEST_WAIT, Math.ceil((until - Date.now()) / 1_000));
      const options = { ...(wait >= 1 && { wait }), ...(signal && { signal }) };
      const invocation = await api.getInvocation({ path: { id }, ...options });
      if (hasEnded(invocation)) return outcomeOf(invocation);
      if (Date.now() >= until) throw new StillRunning(id);
    }
  };

  return {
    async find(words, { maxPriceCents, sort, limit } = {}) {
      const query = {
        q: words,
        ...(maxPriceCents !== undefined && { max_price_cents: maxPriceCents }),
        ...(sort !== undefined && { sort }),
        ...(limit !== undefined && { limit }),
      };
      return (await api.browseSkills({ query })).skills;
    },

    async invoke(skill, input, options = {}) {
      const { maxPriceCents, missionId, passportId, waitSeconds = LONGEST_WAIT, signal } = options;
      const idempotencyKey = options.idempotencyKey ?? randomUUID();
      const until = Date.now() + waitSeconds * 1_000;
      const first = Math.min(LONGEST_WAIT, Math.floor(waitSeconds));
      const invoked = await api.invokeSkill({
        path: { id: typeof skill === 'string' ? skill : skill.id },
        body: {
          input,
          ...(maxPriceCents !== undefined && { max_price_cents: maxPriceCents }),
          ...(missionId !== undefined && { mission_id: missionId }),
          ...(passportId !== undefined && { passport_id: passportId }),
        },
        idempotencyKey,
        ...(first >= 1 && { wait: first }),
        ...(signal && { signal }),
      });
      const unclear = (cause: unknown): UnclearError =>
        new UnclearError('invokeSkill', { cause, idempotencyKey, mayHaveHappened: true });
      if (typeof invoked.id !== 'string' || typeof invoked.status !== 'string')
        throw unclear(new Error('The answer is no invocation.'));
      // An execution by the service has its cost in its steps, which are read by the id alone.
      if (hasEnded(invoked) && invoked.execution_mode === 'open') return outcomeOf({ ...invoked, steps: null });
      try {
        return await result(invoked.id, { waitSeconds: (until - Date.now()) / 1_000, ...(signal && { signal }) });
      } catch (error) {
        throw error instanceof UnclearError ? unclear(error) : error;
      }
    },

    result,
  };
}

type Executed = Invocation & Pick<EvidencedInvocation, 'steps'>;

const hasEnded = ({ status }: Pick<Invocation, 'status'>): boolean => status !== 'pending' && status !== 'processing';

/** @throws InvocationFailed */
function outcomeOf<Output>(invocation: Executed): Result<Output> {
  const { id, status, error, output } = invocation;
  if (status !== 'completed')
    throw new InvocationFailed({
      id,
      status,
      ...(error ?? { code: 'EXPIRED', message: 'Nobody completed it in time.' }),
    });
  return { id, output: output as Output, costMicrocents: costOf(invocation) };
}

/** The price, and each step that the service executed; tries of one's own skill have no price. */
function costOf({ price_cents: price, self_invocation: own, trial, steps }: Executed): number {
  const executed = (steps ?? []).reduce((sum, step) => sum + step.charged_microcents, 0);
  return (own || trial ? 0 : price * MICROCENTS) + executed;
}

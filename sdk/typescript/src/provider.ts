import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './client.ts';
import { CarnetError, UnclearError } from './errors.ts';
import type { Invocation, PublishSkill, Skill } from './generated.ts';

type Values = Record<string, unknown>;

export interface Work {
  invocation: Invocation;
  /** Aborted when the result counts no more: the lease is lost, or the time of the invocation is over. */
  signal: AbortSignal;
}
export type Handler<Input = Values, Output = Values> = (input: Input, work: Work) => Output | Promise<Output>;

export interface ServeOptions {
  /** Invocations that are worked on together; one unless set. */
  concurrency?: number;
  /** Without a heartbeat in this time another worker gets the work; 60 unless set. A heartbeat is sent each third of it. */
  leaseSeconds?: number;
  /** Told every error: of a handler, and of a call that is tried again. Nothing is printed without it. */
  onError?: (error: unknown, invocation?: Invocation) => void;
}

export interface Serving {
  skill: Skill;
  /** Takes no more work, and waits until what is under way is done. */
  stop(): Promise<void>;
  /** Resolves once it was stopped, and rejects where it cannot go on, as with a key that was revoked. */
  done: Promise<void>;
}

/** Thrown by a handler, it is shown to the consumer; the message of any other error stays here. */
export class WorkRefused extends Error {
  override name = 'WorkRefused';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Provider {
  /** Publishes what is not there yet; another version of a skill that is there becomes its next one. */
  publish(skill: PublishSkill): Promise<Skill>;
  /** Publishes, then works on what is invoked until it is stopped. */
  serve<Input = Values, Output = Values>(
    skill: PublishSkill,
    handler: Handler<Input, Output>,
    options?: ServeOptions,
  ): Promise<Serving>;
}

const POLL_SECONDS = 20;
const LONGEST_PAUSE_MS = 30_000;
/** With these the work belongs to somebody else, or to nobody. */
const LOST = new Set([
  'LEASE_LOST',
  'NO_LEASE',
  'INVOCATION_EXPIRED',
  'INVOCATION_NOT_PROCESSING',
  'INVOCATION_NOT_PENDING',
  'NOT_FOUND',
]);
const isLost = (error: unknown): boolean => error instanceof CarnetError && LOST.has(error.code);
/** A credential that counts no more, or a skill that is somebody else's: waiting changes nothing. */
const isFinal = (error: unknown): boolean =>
  error instanceof CarnetError && error.status >= 400 && error.status < 500 && ![408, 409, 429].includes(error.status);

export function createProvider(api: Api): Provider {
  const publish = (skill: PublishSkill): Promise<Skill> => publishByVersion(api, skill);
  return {
    publish,
    async serve(skill, handler, options = {}) {
      return new Worker(api, await publish(skill), { handler: handler as Handler, options });
    },
  };
}

async function ownSkillNamed(api: Api, name: string): Promise<Skill | undefined> {
  let cursor: string | undefined;
  do {
    const page = await api.listOwnSkills({ query: cursor === undefined ? {} : { cursor } });
    const found = page.skills.find((one) => one.name === name);
    if (found) return await api.readSkill({ path: { id: found.id } });
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return undefined;
}

const CHANGEABLE = [
  'description',
  'version',
  'input_schema',
  'output_schema',
  'trust_level_required',
  'tags',
  'price_per_invocation',
] as const;

async function publishByVersion(api: Api, skill: PublishSkill): Promise<Skill> {
  const there = await ownSkillNamed(api, skill.name);
  if (there === undefined) return await api.publishSkill({ body: skill });
  const given = Object.entries(skill).filter(([name, value]) => value !== undefined && name !== 'name');
  const changed = given.filter(([name, value]) => !isDeepStrictEqual(there[name as keyof Skill], value));
  if (changed.length === 0) return there;
  const names = changed.map(([name]) => name);
  if (there.version === skill.version)
    throw new CarnetError({
      code: 'VERSION_IMMUTABLE',
      status: 409,
      detail: `Version ${skill.version} of ${skill.name} is published with another ${names.join(', ')}; give what you publish a new version.`,
    });
  const fixed = names.filter((name) => !(CHANGEABLE as readonly string[]).includes(name));
  if (fixed.length > 0)
    throw new CarnetError({
      code: 'INVALID_STATE',
      status: 409,
      detail: `${fixed.join(', ')} of ${skill.name} cannot change; publish it under another name.`,
    });
  return await api.updateSkill({ path: { id: there.id }, body: Object.fromEntries(changed) });
}

class Worker implements Serving {
  readonly skill: Skill;
  readonly done: Promise<void>;
  readonly #api: Api;
  readonly #handler: Handler;
  readonly #options: Required<ServeOptions>;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Promise<void>>();

  constructor(api: Api, skill: Skill, { handler, options }: { handler: Handler; options: ServeOptions }) {
    this.#api = api;
    this.skill = skill;
    this.#handler = handler;
    this.#options = { concurrency: 1, leaseSeconds: 60, onError: () => {}, ...options };
    this.done = this.#loop();
    // Who awaits `done` or stop() sees it all the same.
    this.done.catch((error: unknown) => this.#options.onError(error));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.done;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    try {
      while (!signal.aborted) {
        try {
          await this.#takeWork();
          failures = 0;
        } catch (error) {
          if (signal.aborted) break;
          if (isFinal(error)) throw error;
          this.#options.onError(error);
          const pause = Math.min(LONGEST_PAUSE_MS, 500 * 2 ** failures) * (0.5 + Math.random() / 2);
          failures += 1;
          await sleep(pause, undefined, { signal }).catch(() => {});
        }
      }
    } finally {
      await Promise.all(this.#running.values());
    }
  }

  async #takeWork(): Promise<void> {
    const free = this.#options.concurrency - this.#running.size;
    if (free <= 0) {
      await Promise.race(this.#running.values());
      return;
    }
    const { invocations } = await this.#api.listPendingInvocations({
      query: { skill_id: this.skill.id, limit: free },
      wait: POLL_SECONDS,
      signal: this.#stopping.signal,
    });
    await Promise.all(invocations.slice(0, free).map(({ id }) => this.#take(id)));
  }

  /** A claim that somebody else has won is none of ours. */
  async #take(id: string): Promise<void> {
    if (this.#stopping.signal.aborted || this.#running.has(id)) return;
    try {
      const body = { lease_seconds: this.#options.leaseSeconds };
      const invocation = await this.#api.claimInvocation({ path: { id }, body });
      const working = this.#work(invocation)
        .catch((error: unknown) => this.#options.onError(error, invocation))
        .finally(() => this.#running.delete(id));
      this.#running.set(id, working);
    } catch (error) {
      if (!isLost(error)) throw error;
    }
  }

  async #work(invocation: Invocation): Promise<void> {
    const { id, attempt } = invocation;
    const path = { id };
    const lost = new AbortController();
    const ended = new AbortController();
    const heartbeats = this.#keepLease(invocation, { lost, ended: ended.signal });
    // A result is delivered as long as it counts, no matter how long the service is away.
    const patienceMs = Math.max(0, Date.parse(invocation.expires_at) - Date.now());
    const deliver = { path, patienceMs, signal: lost.signal };
    try {
      const made = await this.#made(invocation, lost.signal);
      if ('output' in made) {
        await this.#api
          .completeInvocation({ ...deliver, body: { output: made.output, attempt } })
          .catch(async (error) => {
            if (!(error instanceof CarnetError) || error.code !== 'OUTPUT_SCHEMA_MISMATCH') throw error;
            this.#options.onError(error, invocation);
            const mismatch = { code: error.code, message: 'The output of the provider does not match its schema.' };
            await this.#api.failInvocation({ ...deliver, body: { error: mismatch, attempt } });
          });
      } else if (!lost.signal.aborted) {
        await this.#api.failInvocation({ ...deliver, body: { error: made.error, attempt } });
      }
    } catch (error) {
      if (!lost.signal.aborted) throw error;
      this.#options.onError(lost.signal.reason, invocation);
    } finally {
      ended.abort();
      await heartbeats;
    }
  }

  async #made(
    invocation: Invocation,
    signal: AbortSignal,
  ): Promise<{ output: Values } | { error: { code: string; message: string } }> {
    try {
      return { output: await this.#handler(invocation.input ?? {}, { invocation, signal }) };
    } catch (error) {
      this.#options.onError(error, invocation);
      return error instanceof WorkRefused
        ? { error: { code: error.code, message: error.message } }
        : { error: { code: 'PROVIDER_FAILED', message: 'The provider could not do this.' } };
    }
  }

  /** Renews the lease until the work has ended; one that is lost aborts the work. */
  async #keepLease(
    { id, attempt }: Invocation,
    { lost, ended }: { lost: AbortController; ended: AbortSignal },
  ): Promise<void> {
    const { leaseSeconds } = this.#options;
    const third = (leaseSeconds * 1_000) / 3;
    while (!ended.aborted && !lost.signal.aborted) {
      await sleep(third, undefined, { signal: ended }).catch(() => {});
      if (ended.aborted) return;
      try {
        await this.#api.heartbeatInvocation({ path: { id }, body: { attempt }, patienceMs: third, signal: ended });
      } catch (error) {
        if (isLost(error)) lost.abort(error);
        else if (!ended.aborted && !(error instanceof UnclearError)) this.#options.onError(error);
      }
    }
  }
}

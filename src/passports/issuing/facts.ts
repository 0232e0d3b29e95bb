import { passportFacts, type PassportFacts } from '../../authority/index.ts';
import type { Context } from '../../context/context.ts';

/** Characters of facts kept in all, as JSON; those used least recently leave first. */
const CAPACITY_CHARACTERS = 32 * 1024 * 1024;

/** After a change that was about something else, facts are compared by content at each issue; so they are read again before long. */
const FRESH_MS = 1_000;

interface Entry {
  facts: PassportFacts;
  weight: number;
  readAt: number;
}

/**
 * The facts of agents that got passports of late, of one process. An entry may be old: the statement that issues says so by its
 * revision, and then it is forgotten. Unknown agents are not kept, so one is found as soon as it is registered.
 */
class FactsCache {
  readonly #entries = new Map<string, Entry>();
  #weight = 0;

  async find(context: Context, operatorId: string, agentId: string): Promise<PassportFacts | null> {
    const name = `${operatorId}/${agentId}`;
    const entry = this.#entries.get(name);
    if (entry !== undefined && performance.now() - entry.readAt < FRESH_MS) {
      this.#entries.delete(name);
      this.#entries.set(name, entry);
      return entry.facts;
    }
    const facts = await passportFacts(context.pool, operatorId, agentId);
    if (facts !== null) this.#keep(name, facts);
    return facts;
  }

  forget(operatorId: string, agentId: string): void {
    const name = `${operatorId}/${agentId}`;
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#weight -= entry.weight;
  }

  #keep(name: string, facts: PassportFacts): void {
    const weight = JSON.stringify(facts).length;
    this.#weight += weight - (this.#entries.get(name)?.weight ?? 0);
    this.#entries.set(name, { facts, weight, readAt: performance.now() });
    for (const [oldest, entry] of this.#entries) {
      if (this.#weight <= CAPACITY_CHARACTERS) break;
      this.#entries.delete(oldest);
      this.#weight -= entry.weight;
    }
  }
}

const caches = new WeakMap<Context, FactsCache>();

function cacheOf(context: Context): FactsCache {
  let cache = caches.get(context);
  if (cache === undefined) caches.set(context, (cache = new FactsCache()));
  return cache;
}

/** What one attempt to compose a passport was made of: facts of one revision, and when the first of those used ends. */
export class FactsInUse {
  readonly #context: Context;
  readonly #operatorId: string;
  readonly #used = new Map<string, PassportFacts>();
  /** The second at which something used ends by itself; null: nothing does. */
  until: number | null = null;

  constructor(context: Context, operatorId: string) {
    this.#context = context;
    this.#operatorId = operatorId;
  }

  /** @returns null where the agent is not this operator's. */
  async of(agentId: string): Promise<PassportFacts | null> {
    const facts = await cacheOf(this.#context).find(this.#context, this.#operatorId, agentId);
    if (facts !== null) this.#used.set(agentId, facts);
    return facts;
  }

  /** These count until they end. */
  use(...ending: readonly { expires_at: number | null }[]): void {
    for (const { expires_at: end } of ending) if (end !== null) this.until = Math.min(end, this.until ?? end);
  }

  /** Null: no facts were used. -1, which no operator is at: facts of several moments were. */
  get revision(): number | null {
    const revisions = new Set([...this.#used.values()].map(({ revision }) => revision));
    if (revisions.size > 1) return -1;
    const [revision = null] = revisions;
    return revision;
  }

  get agents(): string[] {
    return [...this.#used.keys()];
  }

  /** What the facts of each of these agents digest to. */
  get digests(): string[] {
    return [...this.#used.values()].map(({ digest }) => digest);
  }

  /** They hold no longer. */
  forget(): void {
    for (const agentId of this.#used.keys()) cacheOf(this.#context).forget(this.#operatorId, agentId);
  }
}

import { passportFacts, type PassportFacts } from '../../authority/index.ts';
import type { Context } from '../../context/context.ts';
import type { OperatorId } from '../../ids/ids.ts';

/** Most characters of facts in the cache, as JSON; the least recently used are removed first. */
const CAPACITY_CHARACTERS = 32 * 1024 * 1024;

/**
 * After any change of the operator's facts each issue compares digests, which is slower; so facts are read again soon.
 */
const FRESH_MS = 1_000;

interface Entry {
  facts: PassportFacts;
  weight: number;
  readAt: number;
}

/**
 * The facts of agents that got passports recently, in this process. An entry may be old: the statement that issues
 * notices it by its revision, and then it is removed. Unknown agents are not kept, so an agent is found as soon as it
 * is registered.
 */
class FactsCache {
  readonly #entries = new Map<string, Entry>();
  #weight = 0;

  async find(context: Context, operatorId: OperatorId, agentId: string): Promise<PassportFacts | null> {
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

  forget(operatorId: OperatorId, agentId: string): void {
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

/** The facts that one attempt to compose a passport has used, and when the first of them expires. */
export class FactsInUse {
  readonly #context: Context;
  readonly #operatorId: OperatorId;
  readonly #used = new Map<string, PassportFacts>();
  /** Seconds since 1970 at which the first of the used facts expires; null: none does. */
  until: number | null = null;

  constructor(context: Context, operatorId: OperatorId) {
    this.#context = context;
    this.#operatorId = operatorId;
  }

  /** @returns null where the agent is not this operator's. */
  async of(agentId: string): Promise<PassportFacts | null> {
    const facts = await cacheOf(this.#context).find(this.#context, this.#operatorId, agentId);
    if (facts !== null) this.#used.set(agentId, facts);
    return facts;
  }

  /** Notes when what is used expires. */
  use(...ending: readonly { expires_at: number | null }[]): void {
    for (const { expires_at: end } of ending) if (end !== null) this.until = Math.min(end, this.until ?? end);
  }

  /** Null: no facts were used. -1, which is no revision of any operator: facts of several revisions were used. */
  get revision(): number | null {
    const revisions = new Set([...this.#used.values()].map(({ revision }) => revision));
    if (revisions.size > 1) return -1;
    const [revision = null] = revisions;
    return revision;
  }

  get agents(): string[] {
    return [...this.#used.keys()];
  }

  /** The digest of the facts of each of these agents. */
  get digests(): string[] {
    return [...this.#used.values()].map(({ digest }) => digest);
  }

  /** Removes them from the cache: they have changed. */
  forget(): void {
    for (const agentId of this.#used.keys()) cacheOf(this.#context).forget(this.#operatorId, agentId);
  }
}

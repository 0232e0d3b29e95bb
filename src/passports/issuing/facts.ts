import { passportFacts, type PassportFacts } from '../../authority/index.ts';
import { LRUCache } from 'lru-cache';
import { defineCache } from '../../context/caches.ts';
import type { Context } from '../../context/context.ts';
import type { OperatorId } from '../../ids/ids.ts';

/** Most characters of facts in the cache, as JSON; the least recently used are removed first. */
const CAPACITY_CHARACTERS = 32 * 1024 * 1024;

/**
 * After any change of the operator's facts each issue compares digests, which is slower; so facts are read again soon.
 */
const FRESH_MS = 1_000;

/**
 * The facts of agents that got passports recently, by `operator/agent`. An entry may be old: the statement that issues
 * notices it by its revision, and then it is removed. Unknown agents are not kept, so an agent is found as soon as it
 * is registered.
 */
const factsCache = defineCache(
  () =>
    new LRUCache<string, PassportFacts>({
      maxSize: CAPACITY_CHARACTERS,
      sizeCalculation: (facts) => JSON.stringify(facts).length,
      ttl: FRESH_MS,
    }),
);

const nameOf = (operatorId: OperatorId, agentId: string): string => `${operatorId}/${agentId}`;

async function find(context: Context, operatorId: OperatorId, agentId: string): Promise<PassportFacts | null> {
  const cache = context.caches.get(factsCache);
  const name = nameOf(operatorId, agentId);
  const known = cache.get(name);
  if (known !== undefined) return known;
  const facts = await passportFacts(context.pool, operatorId, agentId);
  if (facts !== null) cache.set(name, facts);
  return facts;
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
    const facts = await find(this.#context, this.#operatorId, agentId);
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
    const cache = this.#context.caches.get(factsCache);
    for (const agentId of this.#used.keys()) cache.delete(nameOf(this.#operatorId, agentId));
  }
}

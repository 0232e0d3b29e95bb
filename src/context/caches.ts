import type { Context } from './context.ts';

/** A cache of a domain: declared once beside its rules, one object for each context. */
interface CacheDefinition<Cache extends object> {
  /** Makes it when it is first needed. */
  open(context: Context): Cache;
}

/**
 * Declares a cache. Its values, and how they are invalidated, are known to its domain alone:
 *
 *     const factsCache = defineCache(() => new LRUCache<string, PassportFacts>({ max: 1_000, ttl: 1_000 }));
 *     context.caches.get(factsCache).get(agentId)
 */
export const defineCache = <Cache extends object>(open: (context: Context) => Cache): CacheDefinition<Cache> => ({
  open,
});

export interface Caches {
  get<Cache extends object>(definition: CacheDefinition<Cache>): Cache;
}

/** The context of these parts, with caches of its own. */
export function withCaches<Parts extends Omit<Context, 'caches'>>(parts: Parts): Parts & Context {
  const opened = new Map<CacheDefinition<object>, object>();
  const caches: Caches = {
    get<Cache extends object>(definition: CacheDefinition<Cache>): Cache {
      const cache = (opened.get(definition) as Cache | undefined) ?? definition.open(context);
      opened.set(definition, cache);
      return cache;
    },
  };
  const context = { ...parts, caches };
  return context;
}

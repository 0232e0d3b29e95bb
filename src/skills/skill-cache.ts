import { LRUCache } from 'lru-cache';
import { defineCache } from '../context/caches.ts';
import type { Context } from '../context/context.ts';
import { prepareJson, type PreparedJson } from '../json/prepared.ts';
import { maxComputeCents } from './execution/plans.ts';
import { presentSkill } from './presenter.ts';
import { findSkillRow, type SkillRow } from './queries.ts';
import { SkillSchema, type Skill } from './schema.ts';
import { NO_CODE } from './skill-code.ts';

/**
 * An entry is read again once it is this old. Counts move with every completed invocation and are not announced to the
 * cache, so a count that is shown may be a second old. All other changes are announced: in this process before the
 * command answers, in others within about 20 ms.
 */
const FRESH_MS = 1_000;
/** Characters of all skills kept, without their prepared answers; the least recently read leave first. */
const CAPACITY_CHARACTERS = 32 * 1024 * 1024;

/** The reader may see this: the reason of a rejection, and the code. */
interface View {
  seesAll: boolean;
  seesCode: boolean;
}

/** A skill as it was read, with its answers for each view, each written as JSON once. */
export class CachedSkill {
  readonly row: SkillRow;
  readonly maxComputeCents: number | null;
  readonly #prepared = new Map<string, PreparedJson<Skill>>();

  constructor(row: SkillRow, bound: number | null) {
    this.row = row;
    this.maxComputeCents = bound;
  }

  /** The answer of GET. Null where it would show code: that is never kept, so the caller must read it. */
  prepared(view: View): PreparedJson<Skill> | null {
    if (view.seesCode && this.row.has_code) return null;
    const key = `${view.seesAll}:${view.seesCode}`;
    const known = this.#prepared.get(key);
    if (known !== undefined) return known;
    const prepared = prepareJson(SkillSchema, {
      ...presentSkill(this.row, view),
      max_compute_cents: this.maxComputeCents,
      ...(view.seesCode ? NO_CODE : {}),
      ...(view.seesAll ? { pending_change: null } : {}), // a skill without code never has one
    });
    this.#prepared.set(key, prepared);
    return prepared;
  }
}

/** The skills that this process has read lately; `null` is never kept, so a skill is found as soon as it is published. */
class SkillCache {
  readonly #context: Context;
  readonly #skills = new LRUCache<string, CachedSkill>({
    maxSize: CAPACITY_CHARACTERS,
    sizeCalculation: ({ row }) => JSON.stringify(row).length,
    ttl: FRESH_MS,
  });
  readonly #loading = new Map<string, Promise<CachedSkill | null>>();

  constructor(context: Context) {
    this.#context = context;
    context.rowEvents.subscribe((id) => {
      if (id === '*') this.#clear();
      else if (id.startsWith('skl_')) this.#forget(id);
    });
  }

  async find(id: string): Promise<CachedSkill | null> {
    if (!this.#context.rowEvents.listening) return await this.#read(id);
    return this.#skills.get(id) ?? (await (this.#loading.get(id) ?? this.#load(id)));
  }

  /** One read for all callers that come meanwhile. A skill that changed during the read is answered but not kept. */
  #load(id: string): Promise<CachedSkill | null> {
    const loading = this.#read(id).then(
      (skill) => {
        if (this.#loading.get(id) === loading) {
          this.#loading.delete(id);
          this.#forget(id);
          if (skill !== null) this.#skills.set(id, skill);
        }
        return skill;
      },
      (error: unknown) => {
        if (this.#loading.get(id) === loading) this.#loading.delete(id);
        throw error;
      },
    );
    this.#loading.set(id, loading);
    return loading;
  }

  async #read(id: string): Promise<CachedSkill | null> {
    const row = await findSkillRow(this.#context.pool, id);
    return row === null ? null : new CachedSkill(row, await maxComputeCents(this.#context, row));
  }

  #forget(id: string): void {
    this.#loading.delete(id);
    this.#skills.delete(id);
  }

  #clear(): void {
    this.#loading.clear();
    this.#skills.clear();
  }
}

const skillCache = defineCache((context) => new SkillCache(context));

/** The skill by id, from the cache; the caller checks who may see it. Null where there is none. */
export const findSkill = (context: Context, id: string): Promise<CachedSkill | null> =>
  context.caches.get(skillCache).find(id);

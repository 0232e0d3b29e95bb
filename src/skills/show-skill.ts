import type { Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import type { RouteAnswer } from '../http/route.ts';
import { boundOfCode } from './execution/cost.ts';
import { findPendingChange } from './publishing/pending-change.ts';
import { isAnsweredBySeller, NO_CODE } from './skill-code.ts';
import { presentSkill } from './presenter.ts';
import {
  findCode,
  findSellerCredentialUse,
  findSkillRow,
  getSkillRow,
  lockSkillRow,
  type SkillRow,
} from './queries.ts';
import type { Skill } from './schema.ts';
import { findSkill, type CachedSkill } from './skill-cache.ts';
import { seesAll, visibleTo } from './status.ts';

/** The skill as its owner sees it, read in the transaction that changed it. */
export async function showSkill(context: Context, connection: CommonQueryMethods, id: string): Promise<Skill> {
  const row = await getSkillRow(connection, id);
  const code = (row.has_code ? await findCode(connection, id) : null) ?? NO_CODE;
  return {
    ...presentSkill(row, { seesAll: true }),
    max_compute_cents: row.execution_mode === 'open' ? null : boundOfCode(context.config, code),
    pending_change: await findPendingChange(connection, id),
    ...code,
  };
}

/** @throws CarnetError NOT_FOUND for a skill that does not exist or that the caller may not see. */
export async function findVisibleSkill(context: Context, caller: Caller, id: string): Promise<CachedSkill> {
  const skill = await findSkill(context, id);
  assertThat(skill !== null && visibleTo(caller, skill.row), () => notFound('skill'));
  return skill;
}

/** As `findVisibleSkill`, for commands: read on their connection and not from the cache. */
export async function findVisibleRow(connection: CommonQueryMethods, caller: Caller, id: string): Promise<SkillRow> {
  const row = await findSkillRow(connection, id);
  assertThat(row !== null && visibleTo(caller, row), () => notFound('skill'));
  return row;
}

/** GET of one skill. Its code, where the caller may see it, is read from the database: the cache never holds any. */
export async function readSkill(context: Context, caller: Caller, id: string): Promise<RouteAnswer<Skill>> {
  const skill = await findVisibleSkill(context, caller, id);
  const { row } = skill;
  const all = seesAll(caller, row);
  const prepared = skill.prepared({ seesAll: all, seesCode: all || row.execution_mode === 'source' });
  if (prepared !== null) return { status: 200, prepared };
  return {
    status: 200,
    body: {
      ...presentSkill(row, { seesAll: all }),
      max_compute_cents: skill.maxComputeCents,
      ...(all ? { pending_change: await findPendingChange(context.pool, id) } : {}),
      ...(all && isAnsweredBySeller(row)
        ? { seller_credential_use: await findSellerCredentialUse(context.pool, id) }
        : {}),
      ...(await findCode(context.pool, id)),
    },
  };
}

/**
 * The skill locked for a change by its owner.
 * @throws CarnetError NOT_FOUND, NOT_OWNER
 */
export async function lockOwnSkill(connection: CommonQueryMethods, caller: Caller, id: string): Promise<SkillRow> {
  return assertOwnSkill(caller, await lockSkillRow(connection, id));
}

/** @throws CarnetError NOT_FOUND, NOT_OWNER */
export function assertOwnSkill(caller: Caller, row: SkillRow | null): SkillRow {
  assertThat(row !== null && visibleTo(caller, row), () => notFound('skill'));
  assertThat(
    row.operator_id === caller.operatorId,
    () => new CarnetError('NOT_OWNER', 'Only the operator that published the skill may change it.'),
  );
  return row;
}

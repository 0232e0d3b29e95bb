import type { Caller } from '../commands/caller.ts';
import type { ListedSkillRow, SkillRow } from './queries.ts';
import type { ListedSkill, Skill } from './schema.ts';
import { seesAll } from './status.ts';

/** Averages are shown in hundredths. */
export function averageRating(row: Counted): number | null {
  const count = ratingCount(row);
  const sum = row.rated_1 + 2 * row.rated_2 + 3 * row.rated_3 + 4 * row.rated_4 + 5 * row.rated_5;
  return count === 0 ? null : Math.round((sum * 100) / count) / 100;
}

export const ratingCount = (row: Counted): number =>
  row.rated_1 + row.rated_2 + row.rated_3 + row.rated_4 + row.rated_5;

type Counted = Pick<ListedSkillRow, 'rated_1' | 'rated_2' | 'rated_3' | 'rated_4' | 'rated_5'>;

/** A skill without its code. The reason of a rejection is for its owner and the platform alone. */
export function presentSkill(row: SkillRow, to: { seesAll: boolean }): Omit<Skill, 'max_compute_cents'>;
export function presentSkill(row: ListedSkillRow, to: { seesAll: boolean }): ListedSkill;
export function presentSkill(row: ListedSkillRow, to: { seesAll: boolean }): ListedSkill {
  const {
    executable: _executable,
    has_code: _code,
    review_status,
    rejection_reason,
    reviewed_at,
    approved_at: _approved,
    seller_name,
    seller_verified,
    ...rest
  } = row;
  const { rated_1: _1, rated_2: _2, rated_3: _3, rated_4: _4, rated_5: _5, verified_count: _verified, ...skill } = rest;
  return {
    ...skill,
    seller: { name: seller_name, verified: seller_verified },
    average_rating: averageRating(row),
    rating_count: ratingCount(row),
    review: { status: review_status, rejection_reason: to.seesAll ? rejection_reason : null, reviewed_at },
  };
}

/** A skill as this caller sees it in a list. */
export const presentSkillTo = (row: ListedSkillRow, caller: Caller): ListedSkill =>
  presentSkill(row, { seesAll: seesAll(caller, row) });

export const presentSkills = (rows: readonly ListedSkillRow[], caller: Caller): ListedSkill[] =>
  rows.map((row) => presentSkillTo(row, caller));

import { z } from 'zod';
import type { Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, invalid } from '../../errors/carnet-error.ts';
import { averageRating, ratingCount } from '../presenter.ts';
import type { Rated, RateSkill, RatingSummary } from './schema.ts';
import { findVisibleRow, findVisibleSkill } from '../show-skill.ts';

/** Whether operators without a completed invocation may rate as well; their ratings are not `verified`. */
const UNVERIFIED_RATINGS_ALLOWED: boolean = true;

const Completed = z.object({ any: z.boolean(), this: z.boolean() });
const Counts = z.object({
  rated_1: z.int(),
  rated_2: z.int(),
  rated_3: z.int(),
  rated_4: z.int(),
  rated_5: z.int(),
  verified_count: z.int(),
});
type Counts = z.output<typeof Counts>;

/**
 * Rates a skill, or changes the operator's rating of it.
 * @throws CarnetError NOT_FOUND, SELF_RATING, VALIDATION_ERROR where the invocation is not a completed one of the caller's.
 */
export const rateSkill = (
  context: Context,
  call: CommandCall,
  { id, body }: { id: string; body: RateSkill },
): Promise<Answered<Rated>> =>
  runCommand<Rated>(context, call, async ({ connection, audit, changed }) => {
    const { operatorId } = call.caller;
    const skill = await findVisibleRow(connection, call.caller, id);
    assertThat(
      skill.operator_id !== operatorId,
      () => new CarnetError('SELF_RATING', 'An operator may not rate a skill of its own.'),
    );
    // Raters of one skill take turns, so that an old rating is subtracted exactly once. An invocation that is not completed for this statement yet
    // is counted after it, and verifies the rating then.
    await connection.query(sql.type(z.object({}))`select from skill_counts where skill_id = ${id} for no key update`);
    const completed = await connection.one(sql.type(Completed)`
      with completed as (select id from completed_invocations where consumer_operator_id = ${operatorId} and skill_id = ${id})
      select exists (select from completed) as any,
             ${body.invocation_id ?? null}::text is null or exists (select from completed where id = ${body.invocation_id ?? null}) as this`);
    assertThat(completed.this, () =>
      invalid({
        path: 'invocation_id',
        code: 'not_completed',
        message: 'must be a completed invocation of this skill by you; leave it out to rate without',
      }),
    );
    assertThat(UNVERIFIED_RATINGS_ALLOWED || completed.any, () =>
      invalid({ path: 'rating', code: 'not_completed', message: 'needs a completed invocation of this skill by you' }),
    );
    const counts = await saveRating(connection, { id, operatorId, verified: completed.any, ...body });
    await audit('skill.rated', id, { rating: body.rating, verified: completed.any });
    changed(id);
    return {
      status: 200,
      body: {
        rating: body.rating,
        verified: completed.any,
        average_rating: averageRating(counts),
        rating_count: ratingCount(counts),
      },
    };
  });

interface NewRating extends RateSkill {
  id: string;
  operatorId: string;
  verified: boolean;
}

/** The caller holds the row of counts. */
async function saveRating(
  connection: CommonQueryMethods,
  { id, operatorId, rating, verified, invocation_id }: NewRating,
): Promise<Counts> {
  const old = await connection.maybeOne(sql.type(z.object({ rating: z.int(), verified: z.boolean() }))`
    select rating, verified from skill_ratings where skill_id = ${id} and operator_id = ${operatorId}`);
  await connection.query(sql.type(z.object({}))`
    insert into skill_ratings (skill_id, operator_id, rating, verified, invocation_id)
    values (${id}, ${operatorId}, ${rating}, ${verified}, ${invocation_id ?? null})
    on conflict (skill_id, operator_id) do update
      set rating = excluded.rating, verified = excluded.verified, invocation_id = excluded.invocation_id, updated_at = clock_timestamp()`);
  const change = (of: number) => Number(rating === of) - Number(old?.rating === of);
  return await connection.one(sql.type(Counts)`
    update skill_counts
    set rated_1 = rated_1 + ${change(1)}, rated_2 = rated_2 + ${change(2)}, rated_3 = rated_3 + ${change(3)},
        rated_4 = rated_4 + ${change(4)}, rated_5 = rated_5 + ${change(5)},
        verified_count = verified_count + ${Number(verified) - Number(old?.verified ?? false)}
    where skill_id = ${id}
    returning rated_1, rated_2, rated_3, rated_4, rated_5, verified_count`);
}

/** @throws CarnetError NOT_FOUND */
export async function readRatings(context: Context, caller: Caller, id: string): Promise<RatingSummary> {
  const { row } = await findVisibleSkill(context, caller, id);
  return {
    average_rating: averageRating(row),
    rating_count: ratingCount(row),
    distribution: { 1: row.rated_1, 2: row.rated_2, 3: row.rated_3, 4: row.rated_4, 5: row.rated_5 },
    verified_count: row.verified_count,
  };
}

import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { pageOfReviews } from './accountability-queries.ts';
import type { Reviews, ReviewsQuery } from './accountability-schema.ts';

/** The caller's reviews, newest first (decisions A35). */
export async function listReviews(context: Context, { operatorId }: Caller, query: ReviewsQuery): Promise<Reviews> {
  const { page, limit } = query;
  const { reviews, total } = await pageOfReviews(context.pool, operatorId, query);
  return { reviews, page, limit, total, has_more: page * limit < total };
}

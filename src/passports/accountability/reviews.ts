import type { Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import type { Links } from '../../http/route.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { findReview, pageOfReviews } from './queries.ts';
import type { Review, Reviews, ReviewsQuery } from './schema.ts';

/** A page of the caller's reviews, newest first, with links to the pages before and after. */
export async function listReviews(
  context: Context,
  { operatorId }: Caller,
  query: ReviewsQuery,
): Promise<{ body: Reviews; links: Links }> {
  const { page, limit } = query;
  const { reviews, total } = await pageOfReviews(context.pool, operatorId, query);
  const has_more = page * limit < total;
  const links: Links = {};
  if (page > 1) links.prev = { limit, page: page - 1 };
  if (has_more) links.next = { limit, page: page + 1 };
  return { body: { reviews, page, limit, total, has_more }, links };
}

/** @throws CarnetError NOT_FOUND for an unknown or foreign one. */
export async function readReview({ pool }: Context, { operatorId }: Caller, checkoutId: string): Promise<Review> {
  const review = await findReview(pool, operatorId, checkoutId);
  assertThat(review, () => notFound('review'));
  return review;
}

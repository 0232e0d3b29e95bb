import type { z } from 'zod';
import type { Audience } from '../http/auth/audience.ts';
import type { Route, RouteInput } from '../http/route.ts';
import type { FormOptions } from './form.ts';
import type { Filter } from './list.ts';
import { isRefusal, type PersonsVisit } from './visits.ts';

/** A list that is longer is not chosen from: an id is pasted then. As many as every list has on a page. */
const MAX_CHOICES = 100;

export type Choice = readonly [value: string, text: string];

/**
 * The things of a list that a field of ids may name, by their names.
 * @returns null where there are none, or more than are chosen from, or this person may not see the list: then an id is typed
 */
export async function choicesOf<
  A extends Audience,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>(
  { visit }: PersonsVisit,
  route: Route<A, Params, Query, Body, Reply>,
  { query, choices }: Pick<RouteInput, 'query'> & { choices(reply: z.output<Reply>): readonly Choice[] },
): Promise<readonly Choice[] | null> {
  try {
    const { body, links } = await visit.call(route, { query: { ...query, limit: String(MAX_CHOICES) } });
    const all = choices(body);
    return all.length === 0 || links.next !== undefined ? null : all;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** A form whose fields, by path, are chosen from what there is. */
export const withChoices = (
  options: FormOptions,
  choices: Readonly<Record<string, readonly Choice[] | null>>,
): FormOptions => ({
  ...options,
  choices: {
    ...options.choices,
    ...Object.fromEntries(Object.entries(choices).flatMap(([path, all]) => (all === null ? [] : [[path, all]]))),
  },
});

/** A filter by an id. */
export const filterOf = (name: string, label: string, choices: readonly Choice[] | null): Filter =>
  choices === null ? { name, label, kind: 'text' } : { name, label, kind: 'choice', options: choices };

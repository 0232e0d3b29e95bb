import type { z } from 'zod';
import type { Audience } from '../http/auth/audience.ts';
import { html, type Html } from '../http/pages/html.ts';
import type { Page } from '../http/pages/page.ts';
import type { Route } from '../http/route.ts';
import { listOf, type List } from './list.ts';
import type { Shown } from './page.ts';
import type { PersonsVisit } from './visits.ts';

interface ListPage<Reply, Row> extends Omit<List<Reply, Row>, 'label'> {
  title: string;
  /** Names the table where the title of the page does not. */
  label?: string;
  /** Beside the title: a link to where another one is made. */
  beside?: Html;
  /** Says what the rows are, in a sentence or two; absent: the title says it. */
  lead?: Html | string;
  /** The id of a row, whose changes bring the page up to date. */
  changes?(row: Row): string;
  /** It looks for new rows. */
  looks?: true;
  /** After the list: a form for another one, say. */
  below?(reply: Reply): Html | Promise<Html>;
}

/** The content of a page that is a list, with its heading and its form; its CSV, where the address asks for that. @throws CarnetError as the route refuses */
export async function listShown<
  A extends Audience,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
  Row,
>(
  person: PersonsVisit,
  route: Route<A, Params, Query, Body, Reply>,
  page: ListPage<z.output<Reply>, Row>,
): Promise<Shown | Page> {
  const { title, label = title, beside, lead, changes, looks, below } = page;
  const list = await listOf(person, route, { ...page, label });
  if (list.csv !== undefined) return list.csv;
  const ids = changes === undefined ? [] : list.rows.map(changes);
  const isLive = changes !== undefined || looks === true;
  return {
    title,
    ...(isLive && { live: { ids, ...(looks && { looks }) } }),
    body: html`${beside === undefined ? html`<h1>${title}</h1>` : html`<div class="heading"><h1>${title}</h1>${beside}</div>`}
${lead === undefined ? html`` : html`<p class="lead">${lead}</p>\n`}${list.html}${(await below?.(list.reply)) ?? html``}`,
  };
}

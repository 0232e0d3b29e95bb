import type { z } from 'zod';
import type { Audience } from '../http/auth/audience.ts';
import { pathOf } from '../http/call-route.ts';
import { html, type Html } from '../http/pages/html.ts';
import type { Page } from '../http/pages/page.ts';
import type { Route, RouteInput } from '../http/route.ts';
import { live } from './page.ts';
import { copyable, empty, table, type Column } from './parts.ts';
import { oneOf, type PersonsVisit } from './visits.ts';

/** A filter of a list: a query parameter of its route. */
export type Filter = {
  name: string;
  label: string;
  /** Seldom used: it is folded with the others that are, until one of them is set. */
  seldom?: true;
} & (
  | { kind: 'text' | 'search' | 'date' }
  | {
      kind: 'choice';
      options: readonly (readonly [value: string, text: string])[];
      /** The words where nothing is chosen; absent: All. */
      otherwise?: string;
    }
);

export interface List<Reply, Row> {
  /** Names it within the page, for live updates and the table. */
  id: string;
  label: string;
  /** The parameters of the path of the route, and those that its query always has. */
  input?: RouteInput;
  /** With what the route leaves out, the names of members say, where a page adds it. */
  rows(reply: Reply): readonly Row[] | Promise<readonly Row[]>;
  columns: readonly Column<Row>[];
  filters?: readonly Filter[];
  /** Parameters of the page that its links keep, which tab is shown say. */
  kept?: Readonly<Record<string, string>>;
  /** Where there is nothing at all: how the first comes about. */
  nothing: Html | string;
  /** Before the table: what is to be known of all rows. */
  above?(reply: Reply): Html;
  /** Another way to show the rows than a table, cards say. */
  shown?(rows: readonly Row[]): Html;
  /** It is a part of a page that says which call the page stands for. */
  isPart?: true;
}

/** The parameters by which a page of a list is asked for, besides its filters. */
const PAGING = ['cursor', 'offset', 'page', 'limit'];
/** Rows of a page: with three ids a row about 19 KB of HTML, which is not compressed (decision F5). A list has no exact count, since it is read by key. */
const ROWS = 20;
/** Rows of a CSV at most, a page after the other. */
const MAX_CSV_ROWS = 1_000;
/** As many as every list has on a page: the visit counts as one call, so it may not make many, no matter which `limit` its address has. */
const CSV_PAGE = 100;

interface ShownList<Reply, Row> {
  html: Html;
  rows: readonly Row[];
  /** The answer of the route, for the rest of the page. */
  reply: Reply;
  /** The CSV of the rows, where the address asks for it: the page answers with it. */
  csv?: Page;
}

/**
 * A list of the API as a page shows it: filters, table, the pages beside it, CSV, and the call that it stands for.
 * @throws CarnetError as the route refuses
 */
export async function listOf<
  A extends Audience,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
  Row,
>(
  person: PersonsVisit,
  route: Route<A, Params, Query, Body, Reply>,
  list: List<z.output<Reply>, Row>,
): Promise<ShownList<z.output<Reply>, Row>> {
  const { visit } = person;
  const { filters = [], input = {}, kept = {}, rows, columns } = list;
  const names = [...filters.map(({ name }) => name), ...PAGING];
  const asked = Object.fromEntries(
    names.flatMap((name) => (oneOf(visit.query, name) === '' ? [] : [[name, oneOf(visit.query, name)]])),
  );
  const query = { limit: String(ROWS), ...asked, ...input.query };
  const isCsv = oneOf(visit.query, 'csv') === list.id;
  const page = isCsv ? { limit: String(CSV_PAGE) } : {};
  const { body: reply, links } = await visit.call(route, { ...input, query: { ...query, ...page } });
  if (isCsv) {
    const found = [...(await rows(reply))];
    let next = links.next;
    while (next !== undefined && found.length < MAX_CSV_ROWS) {
      const further = await visit.call(route, { ...input, query: { ...query, ...texts(next), ...page } });
      found.push(...(await rows(further.body)));
      next = further.links.next;
    }
    // Who opens the file sees by its name that rows are missing.
    const name = next === undefined && found.length <= MAX_CSV_ROWS ? list.id : `${list.id}-first-${MAX_CSV_ROWS}`;
    return { html: html``, reply, rows: found, csv: csvOf(name, columns, found.slice(0, MAX_CSV_ROWS)) };
  }
  const isFiltered = filters.some(({ name }) => asked[name] !== undefined);
  const found = await rows(reply);
  const here = (parameters: Record<string, string>): string =>
    `?${new URLSearchParams({ ...kept, ...parameters }).toString()}`;
  const content =
    found.length === 0
      ? empty(
          isFiltered
            ? 'Nothing fits these filters.'
            : Object.keys(asked).length > 0
              ? 'There is nothing further.'
              : list.nothing,
        )
      : (list.shown?.(found) ?? table(list.label, columns, found));
  const pager = (['prev', 'next'] as const).flatMap((relation) => {
    const parameters = links[relation];
    return parameters === undefined
      ? []
      : [
          html`<a class="button" rel="${relation}" href="${here({ ...asked, ...texts(parameters) })}">${relation === 'prev' ? 'Newer' : 'Older'}</a>\n`,
        ];
  });
  const toStart = 'cursor' in asked ? html`<a class="button" href="${here(filtersOf(asked))}">Newest</a>\n` : html``;
  const address = `${visit.context.config.publicBaseUrl}${pathOf(route, input.params)}${Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(texts(query)).toString()}`}`;
  const tools = html`<div class="list-tools">${found.length > 0 && columns.some(({ text }) => text) ? html`<a href="${here({ ...filtersOf(asked), csv: list.id })}" download>CSV${links.next === undefined ? html`` : `, ${MAX_CSV_ROWS.toLocaleString('en')} rows at most`}</a>\n` : html``}${list.isPart === true ? html`` : asCurl({ method: 'GET', address })}</div>`;
  return {
    reply,
    rows: found,
    html: html`${filterForm(filters, asked, kept)}${live(list.id, html`${list.above?.(reply) ?? html``}${content}${pager.length === 0 && toStart.text === '' ? html`` : html`<nav class="actions" aria-label="${list.label}, more">${toStart}${pager}</nav>\n`}`)}${tools}`,
  };
}

const texts = (parameters: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));

const filtersOf = (asked: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(asked).filter(([name]) => !PAGING.includes(name)));

function filterForm(
  filters: readonly Filter[],
  asked: Readonly<Record<string, string>>,
  kept: Readonly<Record<string, string>>,
): Html {
  if (filters.length === 0) return html``;
  const field = (filter: Filter): Html => {
    const { name, label, kind } = filter;
    const value = asked[name] ?? '';
    if (kind !== 'choice')
      return html`<label>${label}<input name="${name}" type="${kind}" value="${value}" maxlength="200"></label>\n`;
    const isOffered = value === '' || filter.options.some(([option]) => option === value);
    const options = isOffered ? filter.options : [...filter.options, [value, value] as const];
    return html`<label>${label}<select name="${name}"><option value="">${filter.otherwise ?? 'All'}</option>${options.map(([option, text]) => html`<option value="${option}"${option === value ? html` selected` : html``}>${text}</option>`)}</select></label>\n`;
  };
  const further = filters.filter(({ seldom }) => seldom === true);
  return html`<form class="filters" method="get">
${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}${filters.filter(({ seldom }) => seldom !== true).map(field)}<button>Filter</button>
${further.length === 0 ? html`` : html`<details${further.some(({ name }) => asked[name] !== undefined) ? html` open` : html``}><summary>More filters</summary><div>${further.map(field)}</div></details>\n`}</form>
`;
}

/** The call that a page or a form stands for, to be pasted into a shell. */
export function asCurl({ method, address, body }: { method: string; address: string; body?: unknown }): Html {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const lines = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${quoted(address)}`,
    `-H "Authorization: Bearer $KEY"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return html`<details class="curl"><summary>As a call</summary>${copyable(lines.join(' \\\n  '))}</details>\n`;
}

/** The start of a text that spreadsheets run as a formula: no less than csv_text() of the statement has. */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+@\u207a\u207b\u2212\ufe62-\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20-])/u;

/** A cell that a spreadsheet would run as a formula is text to it. */
const cellOf = (value: string | number | null): string => {
  if (typeof value === 'number') return String(value);
  const text = value === null ? '' : FORMULA.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
};

function csvOf<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): Page {
  const written = columns.flatMap(({ title, text }) => (text === undefined ? [] : [{ title, text }]));
  const lines = [
    written.map(({ title }) => cellOf(title)),
    ...rows.map((row) => written.map(({ text }) => cellOf(text(row)))),
  ];
  return {
    status: 200,
    type: 'text/csv; charset=utf-8',
    body: lines.map((line) => `${line.join(',')}\r\n`).join(''),
    headers: { 'Content-Disposition': `attachment; filename="${name}.csv"` },
  };
}

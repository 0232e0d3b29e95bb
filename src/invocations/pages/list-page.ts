import { operatorNames } from '../../accounts/operators/pages/operator-names.ts';
import { choicesOf, filterOf } from '../../console/choices.ts';
import { mine as ownSkills } from '../../skills/list-routes.ts';
import type { z } from 'zod';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { duration } from '../../console/charts.ts';
import { listOf, type Filter } from '../../console/list.ts';
import { actForm, callAct, consolePage } from '../../console/page.ts';
import { badge, tabs, type Column } from '../../console/parts.ts';
import { HOME, idLink, named } from '../../console/places.ts';
import { oneOf, type PersonsVisit } from '../../console/visits.ts';
import { dollars } from '../../fields/dollars.ts';
import { findSkillNames } from '../../skills/index.ts';
import { claim, mine, pending, provided } from '../routes.ts';
import { InvocationStatusSchema, type InvocationSummary } from '../schema.ts';

export const INVOCATIONS_PATH = `${HOME}/invocations`;

type Party = 'consumer' | 'provider';

/** An invocation, with the name of its skill, and of the operator at the other side of it. */
type Row = InvocationSummary & { skill_name: string; other: Html };

/** @param other at the other side of it: its provider, or its consumer */
const columnsWith = (other: Party): readonly Column<Row>[] => [
  { title: 'Invocation', cell: ({ id }) => idLink(id), text: ({ id }) => id },
  {
    title: 'Skill',
    cell: ({ skill_id: id, skill_name: name }) => named(name, id),
    text: ({ skill_name: name }) => name,
  },
  {
    title: other === 'provider' ? 'Provider' : 'Consumer',
    cell: ({ other: name }) => name,
    text: (row) => row[`${other}_operator_id`],
  },
  { title: 'State', cell: ({ status }) => badge(status), text: ({ status }) => status },
  { title: 'Ordered', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  {
    title: 'Took',
    amount: true,
    cell: ({ duration_ms: ms }) => (ms === null ? '' : duration(ms)),
    text: ({ duration_ms: ms }) => ms,
  },
  {
    title: 'Price',
    amount: true,
    cell: ({ price_cents: cents }) => dollars(cents),
    text: ({ price_cents: cents }) => cents,
  },
];

const pendingColumns: readonly Column<Row>[] = [
  ...columnsWith('consumer').filter(({ title }) => title !== 'State' && title !== 'Took'),
  { title: 'Until', cell: ({ expires_at: at }) => moment(at), text: ({ expires_at: at }) => at },
  {
    title: 'Claim',
    cell: ({ id }) => actForm({ act: 'claim', hidden: { id }, label: 'Claim', tone: 'primary' }),
  },
];

const ofState: Filter = {
  name: 'status',
  label: 'State',
  kind: 'choice',
  options: InvocationStatusSchema.options.map((status) => [status, status]),
};

interface Tab {
  text: string;
  route: typeof mine | typeof pending;
  /** Who is at the other side. */
  other: Party;
  nothing: Html;
  columns: readonly Column<Row>[];
  filters: readonly Filter[];
  /** It is about skills of the operator, which are few enough to choose from. */
  own: boolean;
}

/** By the `side` of the address. */
const sides: Readonly<Record<string, Tab>> = {
  ordered: {
    text: 'You ordered',
    route: mine,
    other: 'provider',
    columns: columnsWith('provider'),
    filters: [ofState],
    own: false,
    nothing: html`Nothing is ordered yet. <a href="${HOME}/market">Find a skill</a> and try it.`,
  },
  provided: {
    text: 'Ordered of you',
    route: provided,
    other: 'consumer',
    columns: columnsWith('consumer'),
    filters: [ofState],
    own: true,
    nothing: html`Nobody has ordered work of your skills yet. <a href="${HOME}/skills">Your skills</a>`,
  },
  waiting: {
    text: 'Waiting for you',
    route: pending,
    other: 'consumer',
    columns: pendingColumns,
    filters: [],
    own: true,
    nothing: html`No work waits: it stands here when somebody invokes a skill of yours that you execute yourself.`,
  },
};

/** The side that is asked for, else the first that has something. */
async function sideOf({ visit }: PersonsVisit): Promise<string> {
  const asked = oneOf(visit.query, 'side');
  if (Object.hasOwn(sides, asked)) return asked;
  if (Object.keys(visit.query).some((name) => name !== 'done')) return 'ordered';
  for (const [side, { route }] of Object.entries(sides)) {
    const { body } = await visit.call(route as typeof mine, { query: { limit: '1' } });
    if (body.invocations.length > 0) return side;
  }
  return 'ordered';
}

const ownSkillChoices = (person: PersonsVisit) =>
  choicesOf(person, ownSkills, { choices: ({ skills }) => skills.map(({ id, name }) => [id, name] as const) });

/** The names of the skills of a page are read together, and so are those of the operators. */
async function withNames(person: PersonsVisit, all: readonly InvocationSummary[], party: Party): Promise<Row[]> {
  const names = await findSkillNames(
    person.visit.context.pool,
    all.map(({ skill_id: id }) => id),
  );
  const idOf = (one: InvocationSummary): string => one[`${party}_operator_id`];
  const operators = await operatorNames(person, all.map(idOf));
  return all.map((one) => ({
    ...one,
    skill_name: names.get(one.skill_id) ?? one.skill_id,
    other: operators.short(idOf(one)),
  }));
}

/** The invocations of an operator on three tabs: of others’ skills, of their own, and the work that nobody has claimed. */
export const invocationsPage = consolePage({
  operation: 'invocationsPage',
  path: INVOCATIONS_PATH,
  async show(person) {
    const side = await sideOf(person);
    const tab = sides[side] as Tab;
    const list = await listOf(person, tab.route as typeof mine, {
      id: side === 'ordered' ? 'invocations' : side,
      label: 'Invocations',
      rows: (reply: z.output<typeof mine.reply>) => withNames(person, reply.invocations, tab.other),
      columns: tab.columns,
      kept: { side },
      filters: [...tab.filters, filterOf('skill_id', 'Skill', tab.own ? await ownSkillChoices(person) : null)],
      nothing: tab.nothing,
    });
    return (
      list.csv ?? {
        title: 'Invocations',
        live: { ids: list.reply.invocations.map(({ id }) => id), looks: true },
        body: html`<h1>Invocations</h1>
${tabs(
  'Side',
  Object.entries(sides).map(([name, { text }]) => ({
    href: `${INVOCATIONS_PATH}?side=${name}`,
    text,
    current: name === side,
  })),
)}${list.html}`,
      }
    );
  },
  acts: {
    claim: callAct('It is claimed.', claim, {
      input: (form) => ({ params: { id: oneOf(form, 'id') } }),
      then: ({ id }) => `${INVOCATIONS_PATH}/${id}`,
    }),
  },
});

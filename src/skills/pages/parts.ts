import type { z } from 'zod';
import { listOf } from '../../console/list.ts';
import { badge, facts, type Column } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import type { Page } from '../../http/pages/page.ts';
import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { versions } from '../list-routes.ts';
import type { ListedSkill, Skill, SkillVersion } from '../schema.ts';

export const MARKET_PATH = `${HOME}/market`;
export const SKILLS_PATH = `${HOME}/skills`;

const nothing = html``;

/** The page of a skill for those who may buy it. */
export const offerPath = (id: string): string => `${MARKET_PATH}/${encodeURIComponent(id)}`;

export const priceOf = ({ price_per_invocation: cents }: Pick<ListedSkill, 'price_per_invocation'>): string =>
  cents === 0 ? 'Free' : dollars(cents);

/** Who does the work, in words. */
export const executedBy: Readonly<Record<ListedSkill['execution_mode'], string>> = {
  open: 'by its publisher',
  sealed: 'by the service, its code hidden',
  source: 'by the service, its code shown',
};

/** Stars are shown once a run was completed: before that nobody can know how good it is. */
export const ratingOf = ({ average_rating: average, rating_count: count, invocation_count: runs }: ListedSkill): Html =>
  average === null
    ? html`<span class="muted">not rated yet</span>`
    : runs === 0
      ? html`<span class="muted">no completed run yet</span>`
      : html`★ ${average} <span class="muted">of 5, ${count} rated</span>`;

export const tagsOf = ({ tags }: Pick<ListedSkill, 'tags'>): Html =>
  tags.length === 0
    ? nothing
    : html`<p class="tags">${tags.map((tag) => html`<a class="badge" href="${MARKET_PATH}?${new URLSearchParams({ tags: tag }).toString()}">${tag}</a> `)}</p>\n`;

export const publisherOf = (
  { operator_id: publisher, seller }: Pick<ListedSkill, 'operator_id' | 'seller'>,
  { caller }: PersonsVisit,
): Html => (publisher === caller.operatorId ? html`you` : html`<span title="${publisher}">${seller.name}</span>`);

/** How a skill stands in the market: price, work and ratings. */
export const offerFacts = (skill: Skill, person: PersonsVisit): Html => {
  const { max_compute_cents: bound, execution_mode: mode, seller_credential_limit: limit } = skill;
  return facts([
    ['Price', skill.price_per_invocation === 0 ? 'Free' : html`${priceOf(skill)} a run`],
    [
      'Computing',
      mode === 'open'
        ? null
        : bound === null
          ? 'it cannot be executed at present'
          : `at most ${dollars(bound)} a run, as it is used`,
    ],
    ['Executed', executedBy[mode]],
    [
      'Trust level',
      html`${skill.trust_level_required}: ${skill.trust_level_required === 'L0' ? 'everybody may invoke it' : 'an agent with a passport and claims of this level invokes it'}`,
    ],
    ['Rating', ratingOf(skill)],
    ['Completed runs', skill.invocation_count],
    ['Publisher', html`${publisherOf(skill, person)} <code class="small">${skill.operator_id}</code>`],
    ['Agent', skill.agent_id === null ? null : idLink(skill.agent_id)],
    [
      'Version',
      html`${skill.version} <span class="muted">revision ${skill.revision}, ${moment(skill.updated_at)}</span>`,
    ],
    ['Keys of models', skill.credential_mode === 'none' ? null : skill.credential_mode.replaceAll('_', ' ')],
    [
      'Calls by its seller’s key',
      limit === null
        ? null
        : html`${limit.max_calls === undefined ? nothing : html`${limit.max_calls} a month at most `}${limit.max_cost_cents === undefined ? nothing : html`${dollars(limit.max_cost_cents)} a month at most`}`,
    ],
    ['Id', html`<code>${skill.id}</code>`],
  ]);
};

const versionColumns: readonly Column<SkillVersion>[] = [
  { title: 'Revision', cell: ({ revision }) => revision, text: ({ revision }) => revision },
  { title: 'Version', cell: ({ version }) => version, text: ({ version }) => version },
  {
    title: 'Price',
    amount: true,
    cell: ({ price_per_invocation: cents }) => dollars(cents),
    text: ({ price_per_invocation: cents }) => cents,
  },
  { title: 'Since', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
];

/** The revisions of a skill, ten at a time: each has its two schemas. */
export const versionsOf = (
  person: PersonsVisit,
  id: string,
): Promise<{ html: Html; csv?: Page; reply: z.output<typeof versions.reply> }> =>
  listOf(person, versions, {
    id: 'versions',
    label: 'Versions',
    input: { params: { id }, query: { limit: '10' } },
    rows: (reply) => reply.versions,
    columns: versionColumns,
    nothing: 'There is none.',
    isPart: true,
  });

export const stateOf = ({ status, review }: Pick<ListedSkill, 'status' | 'review'>): Html =>
  html`${badge(status)}${review.status === 'exempt' || review.status === 'pending' ? nothing : html` ${badge(review.status)}`}`;

/** A run of it, as the form of a run says what it costs. */
export const runOf = (
  { id, input_schema: schema, price_per_invocation: price, max_compute_cents: bound, execution_mode: mode }: Skill,
  { isOwn }: { isOwn: boolean },
) => ({
  skillId: id,
  schema,
  priceCents: isOwn ? 0 : price,
  computeCents: mode === 'open' ? null : (bound ?? 0),
});

import type { z } from 'zod';
import { listOf } from '../../console/list.ts';
import { consolePage } from '../../console/page.ts';
import { badge, tabs, type Column } from '../../console/parts.ts';
import { HOME } from '../../console/places.ts';
import { oneOf, type PersonsVisit } from '../../console/visits.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { favorites } from '../list-routes.ts';
import { browse } from '../routes.ts';
import { TrustLevel, type ListedSkill } from '../schema.ts';
import { executedBy, MARKET_PATH, offerPath, priceOf, publisherOf, ratingOf, SKILLS_PATH } from './parts.ts';

const card = (skill: ListedSkill, person: PersonsVisit): Html => html`<li class="card linked offer">
<h3><a href="${offerPath(skill.id)}">${skill.name}</a></h3>
<p>${skill.description}</p>
<p class="offer-price"><strong>${priceOf(skill)}</strong> ${badge(skill.trust_level_required)} <span class="badge">${skill.execution_mode}</span></p>
<p class="small">${ratingOf(skill)} · ${skill.invocation_count} ${skill.invocation_count === 1 ? 'run' : 'runs'} · by ${publisherOf(skill, person)}${skill.seller.verified ? html` ${badge('verified')}` : html``}</p>
${skill.tags.length === 0 ? html`` : html`<p class="tags">${skill.tags.map((tag) => html`<span class="badge">${tag}</span> `)}</p>`}</li>
`;

const columns: readonly Column<ListedSkill>[] = [
  { title: 'Id', cell: ({ id }) => id, text: ({ id }) => id },
  { title: 'Name', cell: ({ name }) => name, text: ({ name }) => name },
  { title: 'Description', cell: ({ description }) => description, text: ({ description }) => description },
  { title: 'Version', cell: ({ version }) => version, text: ({ version }) => version },
  {
    title: 'Price in cents',
    cell: ({ price_per_invocation: cents }) => cents,
    text: ({ price_per_invocation: cents }) => cents,
  },
  { title: 'Trust level', cell: (skill) => skill.trust_level_required, text: (skill) => skill.trust_level_required },
  { title: 'Executed', cell: (skill) => executedBy[skill.execution_mode], text: (skill) => skill.execution_mode },
  { title: 'Rating', cell: (skill) => skill.average_rating ?? '', text: (skill) => skill.average_rating },
  { title: 'Tags', cell: ({ tags }) => tags.join(', '), text: ({ tags }) => tags.join(', ') },
];

const orders = [
  ['price', 'lowest price'],
  ['rating', 'best rated'],
  ['newest', 'newest'],
  ['most_used', 'most used'],
] as const;
const levels = TrustLevel.options.map((level) => [level, level] as const);

/** The skills that everybody may buy, as a store shows them, and the operator's favourites. */
export const marketPage = consolePage({
  operation: 'marketPage',
  path: MARKET_PATH,
  async show(person) {
    const isFavorites = oneOf(person.visit.query, 'tab') === 'favourites';
    const shared = {
      label: 'Skills',
      columns,
      shown: (rows: readonly ListedSkill[]) => html`<ul class="cards offers">
${rows.map((skill) => card(skill, person))}</ul>
`,
    };
    const list = isFavorites
      ? await listOf(person, favorites, {
          ...shared,
          id: 'favourites',
          kept: { tab: 'favourites' },
          input: { query: { limit: '24' } },
          rows: (reply: z.output<typeof favorites.reply>) => reply.skills,
          nothing: html`You have no favourites. Open a skill and add it to them: it is found again here.`,
        })
      : await listOf(person, browse, {
          ...shared,
          id: 'skills',
          input: { query: { limit: '24' } },
          rows: (reply: z.output<typeof browse.reply>) => reply.skills,
          filters: [
            { name: 'q', label: 'Search', kind: 'search' },
            { name: 'max_price_cents', label: 'Cents a run at most', kind: 'text' },
            { name: 'sort', label: 'Order', kind: 'choice', options: orders, otherwise: 'best match' },
            { name: 'tags', label: 'Tags', kind: 'text', seldom: true },
            {
              name: 'tags_match',
              label: 'Of these tags',
              kind: 'choice',
              options: [['all', 'all of them']],
              otherwise: 'any of them',
              seldom: true,
            },
            { name: 'trust_level', label: 'Trust level', kind: 'choice', options: levels, seldom: true },
            { name: 'max_trust_level', label: 'Trust level at most', kind: 'choice', options: levels, seldom: true },
          ],
          nothing: html`Nobody offers a skill yet. <a href="${SKILLS_PATH}/new">Publish the first</a>, or <a href="${HOME}/requests">ask for one</a>.`,
          above: ({ total }) =>
            html`<p class="muted">${total} on offer, of at most 1,000 that are looked at; best match first, else the newest.</p>\n`,
        });
    return (
      list.csv ?? {
        title: 'Market',
        live: { ids: list.reply.skills.map(({ id }) => id) },
        body: html`<div class="heading"><h1>Market</h1><a class="button" href="${SKILLS_PATH}/new">Publish a skill</a></div>
${tabs('Market', [
  { href: MARKET_PATH, text: 'All skills', current: !isFavorites },
  { href: `${MARKET_PATH}?tab=favourites`, text: 'Favourites', current: isFavorites },
])}${list.html}`,
      }
    );
  },
});

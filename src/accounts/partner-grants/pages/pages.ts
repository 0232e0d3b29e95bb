import { fieldsOf, schemaOf, valueOf } from '../../../console/form.ts';
import { listShown } from '../../../console/list-page.ts';
import { actForm, callAct, consolePage, ofPage } from '../../../console/page.ts';
import { facts, shownOnce, sure, type Column } from '../../../console/parts.ts';
import { HOME, idLink, named } from '../../../console/places.ts';
import { html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import { deleteGrant, getGrant, getGrants, postGrant } from '../routes.ts';
import { CreatePartnerGrantSchema, type PartnerGrant } from '../schema.ts';

const PARTNERS_PATH = `${HOME}/partners`;

const columns: readonly Column<PartnerGrant>[] = [
  { title: 'Partner', cell: ({ id, name }) => named(name, id), text: ({ name }) => name },
  {
    title: 'Receives from',
    cell: ({ providers }) => providers.join(', '),
    text: ({ providers }) => providers.join(' '),
  },
  { title: 'Made', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'Id', cell: ({ id }) => idLink(id), text: ({ id }) => id },
];

const form = schemaOf(CreatePartnerGrantSchema);
const options = {
  labels: { providers: 'Their endpoints receive from', expires_at: 'Their key expires' },
  hints: { expires_at: 'Empty: never.' },
};

const partnersPage = consolePage({
  operation: 'partnersPage',
  path: PARTNERS_PATH,
  show: (person, entered) =>
    listShown(person, getGrants, {
      title: 'Partners',
      lead: 'Somebody outside who registers agents and makes inbound endpoints for you. They see what they made, and nothing else.',
      id: 'partners',
      rows: (reply) => reply.partner_grants,
      columns,
      nothing: 'No partner may do anything here yet.',
      below: () => html`<section class="card"><h2>Let a partner in</h2>
${actForm({ act: 'grant', label: 'Make the grant and its key', tone: 'primary', fields: fieldsOf(form, options, { entered }) })}</section>
`,
    }),
  acts: {
    grant: callAct('', postGrant, {
      input: (typed) => ({ body: valueOf(form, typed, options) }),
      then: ({ id, name, api_key: key, api_key_id: keyId }) => ({
        title: 'A new partner',
        body: html`<h1>“${name}”</h1>
${shownOnce('The key of the partner', key)}<p>The grant is ${idLink(id)}, its key ${idLink(keyId)}.</p>
`,
      }),
    }),
  },
  done: { delete: 'The grant is deleted: its keys are refused from now on.' },
});

const partnerPage = consolePage({
  operation: 'partnerPage',
  path: `${PARTNERS_PATH}/:id`,
  async show({ visit }) {
    const { body: grant } = await visit.call(getGrant, { params: { id: visit.id } });
    return {
      title: 'Partner',
      body: html`<h1>“${grant.name}”</h1>
<section class="card">${facts([
        ['Grant', html`<code>${grant.id}</code>`],
        ['Endpoints receive from', grant.providers.join(', ')],
        ['Made', moment(grant.created_at)],
      ])}
<p><a href="${HOME}/keys?kind=partner&amp;partner_grant_id=${grant.id}">Make another key for it</a></p>
${actForm({ act: 'delete', label: 'Delete the grant', tone: 'danger', fields: sure('Refuse its keys; its agents and endpoints stay') })}</section>
`,
    };
  },
  acts: { delete: callAct('', deleteGrant, { sure: true, input: ofPage, then: () => PARTNERS_PATH }) },
});

export const partnerPages: readonly PathOfPeoplePage[] = [partnersPage, partnerPage];

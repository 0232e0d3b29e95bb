import { meter } from '../../../console/charts.ts';
import { fieldsOf, schemaOf, valueOf } from '../../../console/form.ts';
import { listOf } from '../../../console/list.ts';
import { actForm, callAct, consolePage, ofPage } from '../../../console/page.ts';
import { badge, facts, sure, type Column } from '../../../console/parts.ts';
import { HOME, idLink, named } from '../../../console/places.ts';
import { html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import { seatsOf } from '../queries.ts';
import { deleteMember, getMember, getMembers, postMember } from '../routes.ts';
import { AddMemberSchema, type Member } from '../schema.ts';

const MEMBERS_PATH = `${HOME}/members`;

const columns: readonly Column<Member>[] = [
  { title: 'Person', cell: ({ id, email }) => named(email, id), text: ({ email }) => email },
  { title: 'Role', cell: ({ role }) => role, text: ({ role }) => role },
  { title: 'State', cell: ({ status }) => badge(status), text: ({ status }) => status },
  { title: 'Since', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'Id', cell: ({ id }) => idLink(id), text: ({ id }) => id },
];

const form = schemaOf(AddMemberSchema);
const options = {
  labels: { email: 'E-mail address' },
  hints: { role: 'Owners and administrators decide. An owner alone makes owners and says where money goes.' },
};

const membersPage = consolePage({
  operation: 'membersPage',
  path: MEMBERS_PATH,
  async show(person, entered) {
    const list = await listOf(person, getMembers, {
      id: 'members',
      label: 'Members',
      rows: (reply) => reply.members,
      columns,
      nothing: 'Nobody is a member yet. Invite somebody below.',
    });
    if (list.csv !== undefined) return list.csv;
    const { visit, caller } = person;
    const { in_use: used, total } = await seatsOf(visit.context.pool, caller.operatorId);
    return {
      title: 'Members',
      live: { ids: list.reply.members.map(({ id }) => id) },
      body: html`<h1>Members</h1>
<p class="lead">The people who sign in here. Each takes a seat, those who are invited too.</p>
<ul class="meters">${meter('Seats', used, total)}</ul>
${list.html}<section class="card"><h2>Invite somebody</h2>
<p>They are a member once they have signed in at <code>${visit.context.config.publicBaseUrl}/dashboard/sign-in?operator_id=${caller.operatorId}</code>: send them this address.</p>
${actForm({ act: 'invite', label: 'Invite them', tone: 'primary', fields: fieldsOf(form, options, { values: { role: 'member' }, entered }) })}</section>
`,
    };
  },
  acts: {
    invite: callAct('They are invited: send them the address below.', postMember, {
      input: (typed) => ({ body: valueOf(form, typed, options) }),
    }),
  },
  done: { delete: 'They are no member any more, and their sessions have ended.' },
});

const memberPage = consolePage({
  operation: 'memberPage',
  path: `${MEMBERS_PATH}/:id`,
  async show({ visit }) {
    const { body: member } = await visit.call(getMember, { params: { id: visit.id } });
    return {
      title: 'Member',
      live: { ids: [member.id] },
      body: html`<h1>${member.email}</h1>
<p class="lead"><code>${member.id}</code> ${badge(member.status)}</p>
<section class="card">${facts([
        ['Role', member.role],
        ['Since', moment(member.created_at)],
      ])}
${actForm({
  act: 'delete',
  label: member.status === 'invited' ? 'Withdraw the invitation' : 'Delete the member',
  tone: 'danger',
  fields: sure('They can sign in for this operator no more.'),
  beside: html`<a class="button" href="${HOME}/audit?actor=${member.id}">What they did</a>`,
})}</section>
`,
    };
  },
  acts: { delete: callAct('', deleteMember, { sure: true, input: ofPage, then: () => MEMBERS_PATH }) },
});

export const memberPages: readonly PathOfPeoplePage[] = [membersPage, memberPage];

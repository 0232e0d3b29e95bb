import { actForm, callAct, consolePage } from '../../console/page.ts';
import { badge, type Column } from '../../console/parts.ts';
import { listShown } from '../../console/list-page.ts';
import { HOME } from '../../console/places.ts';
import { oneOf } from '../../console/visits.ts';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { endOwnOthers, endOwnSession, ownSessions } from '../routes.ts';
import type { OwnSession } from '../schema.ts';

const SESSIONS_PATH = `${HOME}/sessions`;

const columns: readonly Column<OwnSession>[] = [
  {
    title: 'Session',
    cell: ({ id, current }) => html`<code>${id}</code>${current ? html` ${badge('this browser', 'info')}` : html``}`,
    text: ({ id }) => id,
  },
  { title: 'Signed in', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  { title: 'Ends', cell: ({ expires_at: at }) => moment(at), text: ({ expires_at: at }) => at },
  {
    title: '',
    cell: ({ id, current }) =>
      current
        ? html`<span class="muted">by <em>Sign out</em></span>`
        : actForm({ act: 'end', hidden: { session: id }, label: 'End', tone: 'danger' }),
  },
];

/** Where a person is signed in, so that they end what they left open elsewhere. */
export const sessionsPage = consolePage({
  operation: 'sessionsPage',
  path: SESSIONS_PATH,
  show(person) {
    const { operator, member } = person.session;
    return listShown(person, ownSessions, {
      title: 'Sessions',
      lead: html`The browsers in which ${member.email} is signed in for ${operator.name}. A session that is ended opens nothing from then on.`,
      id: 'sessions',
      changes: ({ id }) => id,
      looks: true,
      rows: ({ sessions }) => sessions,
      columns,
      nothing: 'You are signed in nowhere else.',
      below: ({ total }) =>
        total > 1 ? actForm({ act: 'end-others', label: 'End all others', tone: 'danger' }) : html``,
    });
  },
  acts: {
    end: callAct('The session is ended.', endOwnSession, {
      input: (form) => ({ params: { id: oneOf(form, 'session') } }),
    }),
    'end-others': callAct('All other sessions are ended.', endOwnOthers),
  },
});

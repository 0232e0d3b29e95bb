import type { z } from 'zod';
import { findMemberEmails } from '../../accounts/index.ts';
import { isGovernedAct, ruleOfAct } from '../../commands/governed-acts.ts';
import { listOf } from '../../console/list.ts';
import { actForm, callAct, consolePage } from '../../console/page.ts';
import { badge, tabs, type Column } from '../../console/parts.ts';
import { HOME, idLink, named } from '../../console/places.ts';
import { sentence } from '../../console/readable.ts';
import { decides, oneOf, type PersonsVisit } from '../../console/visits.ts';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { getApprovals, postRejectMany } from '../routes.ts';
import { ApprovalStatusSchema, type Approval } from '../schema.ts';

export const APPROVALS_PATH = `${HOME}/approvals`;

const REJECT = 'reject-chosen';

const ALL = 'all';
const tabTexts = {
  pending: 'Waiting',
  approved: 'Approved',
  consumed: 'Done',
  rejected: 'Rejected',
  expired: 'Lapsed',
  [ALL]: 'All',
} as const;

const nothingIn = {
  pending: 'Nothing waits for a decision. A request comes here when a key or token asks for what needs a person.',
  approved: 'No approval waits to be used.',
  consumed: 'Nothing that was approved is done yet.',
  rejected: 'Nothing is rejected.',
  expired: 'Nothing has lapsed.',
  [ALL]: 'Nothing was ever asked for. A request comes here when a key or token asks for what needs a person.',
} as const;

/** An approval, and the address of the member who decided it; null: nobody has, or they have left. */
type Row = Approval & { decider: string | null };

const whatOf = ({ action }: Approval): string => (isGovernedAct(action) ? ruleOfAct(action).what : action);

const isOpen = ({ status }: Approval): boolean => status === 'pending' || status === 'approved';

const box: Column<Row> = {
  title: 'Choose',
  cell: (approval) =>
    isOpen(approval)
      ? html`<input type="checkbox" name="ids" value="${approval.id}" form="${REJECT}" aria-label="Choose ${approval.id}">`
      : '',
};

const columns: readonly Column<Row>[] = [
  {
    title: 'Asked for',
    cell: (approval) => html`<a href="${APPROVALS_PATH}/${approval.id}">${sentence(whatOf(approval))}</a>`,
    text: whatOf,
  },
  {
    title: 'Request',
    cell: ({ method, path }) => html`<code>${method} ${path}</code>`,
    text: ({ method, path }) => `${method} ${path}`,
  },
  { title: 'State', cell: ({ status }) => badge(status), text: ({ status }) => status },
  { title: 'Asked', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  {
    title: 'By',
    cell: ({ requested_by: by }) => idLink(by),
    text: ({ requested_by: by }) => by,
  },
  {
    title: 'Decided',
    cell: ({ decided_at: at }) => (at === null ? '' : moment(at)),
    text: ({ decided_at: at }) => at,
  },
  {
    title: 'Decided by',
    cell: ({ decider, decided_by: by }) => (by === null ? '' : named(decider ?? by, by)),
    text: ({ decider, decided_by: by }) => decider ?? by,
  },
  {
    title: 'Lapses',
    cell: (approval) => (isOpen(approval) ? moment(approval.expires_at) : ''),
    text: ({ expires_at: at }) => at,
  },
  { title: 'Approval', cell: ({ id }) => html`<code>${id}</code>`, text: ({ id }) => id },
];

/** The columns that say something on a tab. */
function columnsOf(tab: keyof typeof tabTexts): readonly Column<Row>[] {
  const isOpenTab = tab === 'pending' || tab === 'approved';
  const idle = new Set([
    ...(tab === ALL ? [] : ['State']),
    ...(tab === 'pending' ? ['Decided', 'Decided by'] : []),
    ...(isOpenTab ? [] : ['Lapses']),
  ]);
  return [...(isOpenTab || tab === ALL ? [box] : []), ...columns.filter(({ title }) => !idle.has(title))];
}

/** With who has decided each, by the address that people know them by. */
async function withDeciders({ visit, caller }: PersonsVisit, approvals: readonly Approval[]): Promise<Row[]> {
  const ids = approvals.flatMap(({ decided_by: by }) => by ?? []);
  const emails = await findMemberEmails(visit.context.pool, caller.operatorId, ids);
  return approvals.map((approval) => ({ ...approval, decider: emails.get(approval.decided_by ?? '') ?? null }));
}

const tabOf = (asked: string): keyof typeof tabTexts =>
  asked === ALL ? ALL : (ApprovalStatusSchema.safeParse(asked).data ?? 'pending');

/** All that a person was asked to decide: what waits first, then what was decided, by whom and when. */
export const approvalsPage = consolePage({
  operation: 'approvalsPage',
  path: APPROVALS_PATH,
  async show(person) {
    if (!decides(person))
      return {
        title: 'Approvals',
        body: html`<h1>Approvals</h1>
<p class="notice warning">Owners and administrators see and decide approvals; you are a member. The link to one shows you how it stands.</p>
`,
      };
    const tab = tabOf(oneOf(person.visit.query, 'status'));
    const isCsv = oneOf(person.visit.query, 'csv') !== '';
    const list = await listOf(person, getApprovals, {
      id: 'approvals',
      label: 'Approvals',
      input: { query: tab === ALL ? {} : { status: tab } },
      rows: (reply: z.output<typeof getApprovals.reply>) => withDeciders(person, reply.approvals),
      // The CSV has the same columns on every tab.
      columns: isCsv ? columns : columnsOf(tab),
      kept: { status: tab },
      nothing: nothingIn[tab],
    });
    const mayReject = list.reply.approvals.some(isOpen);
    return (
      list.csv ?? {
        title: 'Approvals',
        live: { ids: list.reply.approvals.map(({ id }) => id), looks: true },
        body: html`<h1>Approvals</h1>
<p class="lead">Requests of keys and tokens that need a person. Nothing is done before somebody approves it, and then its requester sends it again.</p>
${tabs(
  'State',
  Object.entries(tabTexts).map(([status, text]) => ({
    href: `${APPROVALS_PATH}?status=${status}`,
    text,
    current: status === tab,
  })),
)}${list.html}${mayReject ? actForm({ act: 'reject', id: REJECT, label: 'Reject the chosen', tone: 'danger', action: `${APPROVALS_PATH}?status=${tab}` }) : html``}`,
      }
    );
  },
  acts: {
    reject: callAct(
      'Those that you chose are rejected; what was used, rejected or lapsed before stays as it was.',
      postRejectMany,
      {
        input: ({ ids = [] }) => ({ body: { ids: [ids].flat() } }),
      },
    ),
  },
});

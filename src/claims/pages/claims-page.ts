import { agentChoices } from '../../accounts/agents/pages/agent-choices.ts';
import { filterOf } from '../../console/choices.ts';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { listShown } from '../../console/list-page.ts';
import { consolePage } from '../../console/page.ts';
import { badge, type Column } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { list } from '../routes.ts';
import type { Claim } from '../schema/claim.ts';
import { CLAIM_TYPES } from '../schema/payloads.ts';

export const CLAIMS_PATH = `${HOME}/claims`;

const memberOf = ({ envelope }: Claim, name: string): string => {
  const value = envelope[name];
  return typeof value === 'string' ? value : '';
};

export const stateOf = ({
  revoked_at: revoked,
  erased_at: erased,
}: Pick<Claim, 'revoked_at' | 'erased_at'>): string => {
  if (erased !== null) return 'erased';
  return revoked === null ? 'valid' : 'revoked';
};

const columns: readonly Column<Claim>[] = [
  { title: 'Claim', cell: ({ id }) => idLink(id), text: ({ id }) => id },
  { title: 'Type', cell: (claim) => memberOf(claim, 'claim_type'), text: (claim) => memberOf(claim, 'claim_type') },
  {
    title: 'Subject',
    cell: (claim) => html`<code>${memberOf(claim, 'subject')}</code>`,
    text: (claim) => memberOf(claim, 'subject'),
  },
  { title: 'State', cell: (claim) => badge(stateOf(claim)), text: stateOf },
  {
    title: 'Entry',
    amount: true,
    cell: ({ log_index: index }) => index ?? html`<span class="muted">waits</span>`,
    text: ({ log_index: index }) => index,
  },
  { title: 'Recorded', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
];

/** The claims that an operator reads in full. */
export const claimsPage = consolePage({
  operation: 'claimsPage',
  path: CLAIMS_PATH,
  show: async (person) =>
    await listShown(person, list, {
      title: 'Claims',
      lead: html`Signed statements in a log that only grows. <a href="${HOME}/log">The log</a> · <a href="${HOME}/claims/verify">Verify one that you hold</a>`,
      id: 'claims',
      rows: (reply) => reply.claims,
      columns,
      filters: [
        { name: 'claim_type', label: 'Type', kind: 'choice', options: CLAIM_TYPES.map((type) => [type, type]) },
        filterOf('agent_id', 'Agent', await agentChoices(person)),
        { name: 'mission_ref', label: 'Mission', kind: 'text' },
        { name: 'subject', label: 'Subject', kind: 'text' },
        { name: 'since', label: 'Since', kind: 'date' },
        { name: 'until', label: 'Before', kind: 'date' },
      ],
      nothing: html`No claim is recorded yet. The service records one when work is ordered and when it ends; a key records others by <code>POST /v1/claims</code>.`,
      changes: ({ id }) => id,
      looks: true,
    }),
});

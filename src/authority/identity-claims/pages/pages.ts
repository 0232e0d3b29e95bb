import type { z } from 'zod';
import { agentChoices } from '../../../accounts/agents/pages/agent-choices.ts';
import { operatorNames } from '../../../accounts/operators/pages/operator-names.ts';
import { filterOf } from '../../../console/choices.ts';
import { listShown } from '../../../console/list-page.ts';
import { consolePage } from '../../../console/page.ts';
import { badge, momentOr, type Column } from '../../../console/parts.ts';
import { HOME, idLink } from '../../../console/places.ts';
import type { PersonsVisit } from '../../../console/visits.ts';
import { html, type Html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import { getIdentityClaims } from '../routes.ts';
import type { IdentityClaim } from '../schema.ts';

const IDENTITY_PATH = `${HOME}/identity-claims`;

/** A claim, and about whom it is. */
type Row = IdentityClaim & { about: Html };

const columns: readonly Column<Row>[] = [
  { title: 'What', cell: ({ claim_type: type }) => type, text: ({ claim_type: type }) => type },
  {
    title: 'About',
    cell: ({ about }) => about,
    text: ({ agent_id: agent, operator_id: operator }) => agent ?? operator,
  },
  { title: 'By', cell: ({ provider }) => provider, text: ({ provider }) => provider },
  { title: 'Layer', cell: ({ layer }) => layer, text: ({ layer }) => layer },
  { title: 'Level', cell: ({ assurance_level: level }) => level, text: ({ assurance_level: level }) => level },
  {
    title: 'State',
    cell: ({ revoked_at: at }) => (at === null ? '' : badge('revoked')),
    text: ({ revoked_at: at }) => (at === null ? '' : 'revoked'),
  },
  { title: 'Verified', cell: ({ verified_at: at }) => moment(at), text: ({ verified_at: at }) => at },
  { title: 'Ends', cell: ({ expires_at: at }) => momentOr(at), text: ({ expires_at: at }) => at },
];

async function rowsOf(person: PersonsVisit, claims: readonly IdentityClaim[]): Promise<Row[]> {
  const ids = claims.map(({ operator_id: id }) => id);
  const operators = await operatorNames(person, ids);
  return claims.map((claim) => {
    const { agent_id: agent, operator_id: operator } = claim;
    return { ...claim, about: agent === null ? operators.short(operator) : idLink(agent) };
  });
}

const identityPage = consolePage({
  operation: 'identityClaimsPage',
  path: IDENTITY_PATH,
  async show(person) {
    const agent = filterOf('agent_id', 'Agent', await agentChoices(person));
    return await listShown(person, getIdentityClaims, {
      title: 'Identity claims',
      lead: html`What a provider attested about ${person.caller.platform ? 'operators and their agents' : 'you and your agents'}. It decides the trust level of invocations.`,
      id: 'identity-claims',
      rows: (reply: z.output<typeof getIdentityClaims.reply>) => rowsOf(person, reply.identity_claims),
      columns,
      filters: person.caller.platform ? [{ name: 'operator_id', label: 'Operator', kind: 'text' }, agent] : [agent],
      nothing: 'Nothing is attested yet. The platform attests who an operator or an agent is.',
    });
  },
});

export const identityPages: readonly PathOfPeoplePage[] = [identityPage];

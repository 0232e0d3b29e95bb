import { choicesOf, type Choice } from '../../../console/choices.ts';
import type { PersonsVisit } from '../../../console/visits.ts';
import { getAgents } from '../routes.ts';

/** The agents of the operator, for fields that name one; null: an id is typed. @param acting only those that may act */
export const agentChoices = (
  person: PersonsVisit,
  { acting = false }: { acting?: boolean } = {},
): Promise<readonly Choice[] | null> =>
  choicesOf(person, getAgents, {
    choices: ({ agents }) =>
      agents
        .filter(({ status }) => !acting || status === 'active')
        .map(({ id, name }) => [id, `${name} (${id})`] as const),
  });

import { choicesOf, type Choice } from '../../../console/choices.ts';
import type { PersonsVisit } from '../../../console/visits.ts';
import { getAuthorityBindings } from '../routes.ts';

/** The bindings that are active, for fields that name some; null: ids are typed. */
export const bindingChoices = (person: PersonsVisit): Promise<readonly Choice[] | null> =>
  choicesOf(person, getAuthorityBindings, {
    choices: ({ authority_bindings: bindings }) =>
      bindings
        .filter(({ status }) => status === 'active')
        .map(({ id, receiver_id: receiver, agent_id: agent }) => [id, `${receiver}, for ${agent} (${id})`] as const),
  });

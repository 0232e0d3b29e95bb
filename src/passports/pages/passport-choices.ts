import { choicesOf, type Choice } from '../../console/choices.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { search } from '../lists/routes.ts';

/** The passports that are active, for fields that name one; null: an id is typed. */
export const passportChoices = (person: PersonsVisit): Promise<readonly Choice[] | null> =>
  choicesOf(person, search, {
    query: { status: 'active' },
    choices: ({ passports }) => passports.map(({ jti, agent_id: agent }) => [jti, `${jti} of ${agent}`] as const),
  });

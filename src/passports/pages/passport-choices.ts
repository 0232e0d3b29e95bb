import { choicesOf, type Choice } from '../../console/choices.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { search } from '../lists/routes.ts';
import type { PassportStatus } from '../schema.ts';

/** The passports that are active, for fields that name one; null: an id is typed. */
export const passportChoices = (person: PersonsVisit): Promise<readonly Choice[] | null> =>
  choicesOf(person, search, {
    query: { status: 'active' },
    choices: ({ passports }) => passports.map(({ jti, agent_id: agent }) => [jti, `${jti} of ${agent}`] as const),
  });

/** The sessions of the passports in a state, each by the agent of its newest one; null: an id is typed. @param status absent: in any state */
export const sessionChoices = (
  person: PersonsVisit,
  status: PassportStatus | undefined,
): Promise<readonly Choice[] | null> =>
  choicesOf(person, search, {
    query: status === undefined ? {} : { status },
    choices: ({ passports }) =>
      [...new Map(passports.toReversed().map(({ session_id: id, agent_id: agent }) => [id, agent]))].map(
        ([id, agent]) => [id, `${id} of ${agent}`] as const,
      ),
  });

import { choicesOf, type Choice } from '../../../console/choices.ts';
import type { PersonsVisit } from '../../../console/visits.ts';
import { getMissions } from '../routes.ts';

/** Characters of an intent among others. */
const SHOWN = 60;

/** The missions that are active, for fields that name one; null: an id is typed. */
export const missionChoices = (person: PersonsVisit): Promise<readonly Choice[] | null> =>
  choicesOf(person, getMissions, {
    choices: ({ missions }) =>
      missions
        .filter(({ status }) => status === 'active')
        .map(({ id, declared_intent: intent }) => [id, `${intent.slice(0, SHOWN).toWellFormed()} (${id})`] as const),
  });

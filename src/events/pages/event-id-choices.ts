import { choicesOf, type Choice } from '../../console/choices.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { getEvents } from '../routes.ts';

/** The events that are kept, the newest first, for fields that name one; null: an id is typed. */
export const eventIdChoices = (person: PersonsVisit): Promise<readonly Choice[] | null> =>
  choicesOf(person, getEvents, {
    query: { order: 'newest' },
    choices: ({ events }) =>
      events.map(({ id, event_type: type, timestamp: at }) => [
        id,
        `${type}, ${at.slice(0, 16).replace('T', ' ')} UTC`,
      ]),
  });

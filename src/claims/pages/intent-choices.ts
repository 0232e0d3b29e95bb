import { choicesOf, type Choice } from '../../console/choices.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { list } from '../routes.ts';
import { stateOf } from './claims-page.ts';

/** The intent claims that the operator issued and that stand, for fields that name some; null: ids are typed. */
export const intentChoices = (person: PersonsVisit): Promise<readonly Choice[] | null> =>
  choicesOf(person, list, {
    query: { claim_type: 'intent_claim', issuer: person.caller.operatorId },
    choices: ({ claims }) =>
      claims
        .filter((claim) => stateOf(claim) === 'valid')
        .map(({ id, envelope: { subject } }) => [id, `${typeof subject === 'string' ? subject : 'An intent'} (${id})`]),
  });

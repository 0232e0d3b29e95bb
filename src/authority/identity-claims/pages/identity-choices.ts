import { choicesOf, type Choice } from '../../../console/choices.ts';
import type { PersonsVisit } from '../../../console/visits.ts';
import { getIdentityClaims } from '../routes.ts';

/** The identity claims about the operator and its agents that are not revoked, for fields that name some; null: ids are typed. */
export const identityChoices = (person: PersonsVisit): Promise<readonly Choice[] | null> =>
  choicesOf(person, getIdentityClaims, {
    choices: ({ identity_claims: claims }) =>
      claims
        .filter(({ revoked_at: at }) => at === null)
        .map(({ id, claim_type: type, provider, agent_id: agent }) => [
          id,
          `${type} by ${provider}, of ${agent ?? 'the operator'} (${id})`,
        ]),
  });

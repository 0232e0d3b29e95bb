import { z } from 'zod';
import { choicesOf, type Choice } from '../../console/choices.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { list } from '../routes.ts';
import { stateOf } from './claims-page.ts';

const Intent = z.object({ named_intent: z.string(), agent_id: z.string() });

/** The intent claims that the operator issued and that stand, for fields that name some; null: ids are typed. */
export const intentChoices = (person: PersonsVisit): Promise<readonly Choice[] | null> =>
  choicesOf(person, list, {
    query: { claim_type: 'intent_claim', issuer: person.caller.operatorId },
    choices: ({ claims }) =>
      claims.flatMap((claim) => {
        const { data } = Intent.safeParse(claim.envelope.payload);
        if (data === undefined || stateOf(claim) !== 'valid') return [];
        return [[claim.id, `${data.named_intent}, of ${data.agent_id} (${claim.id})`] as const];
      }),
  });

import type { Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import { bestCandidates, fitOf, presentSkillTo, reasonsFor, scoreOf } from '../skills/index.ts';
import type { Matches } from './schema.ts';
import { readSkillRequest } from './skill-requests.ts';
import { wantedBy } from './wanted.ts';

const MAX_MATCHES = 20;

/** The skills that fit a request best, with their scores and the reasons. @throws CarnetError NOT_FOUND */
export async function matchSkills(context: Context, caller: Caller, id: string): Promise<Matches> {
  const wanted = wantedBy(await readSkillRequest(context, id));
  const candidates = await bestCandidates(context.pool, wanted, MAX_MATCHES);
  return {
    matches: candidates.map((candidate) => ({
      skill: presentSkillTo(candidate, caller),
      score: scoreOf(fitOf(wanted, candidate)),
      reasons: reasonsFor(wanted, candidate),
    })),
  };
}

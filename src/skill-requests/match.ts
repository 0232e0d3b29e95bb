import type { Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import { bestCandidates, presentTo } from '../skills/index.ts';
import type { Matches } from './schema.ts';
import { fitOf, reasonsFor, scoreOf } from './score.ts';
import { readSkillRequest } from './skill-requests.ts';
import { wantedBy } from './wanted.ts';

const MATCHES = 20;

/** The skills that fit a request best, with how well and why (decisions K40). @throws CarnetError NOT_FOUND */
export async function matchSkills(context: Context, caller: Caller, id: string): Promise<Matches> {
  const wanted = wantedBy(await readSkillRequest(context, id));
  const candidates = await bestCandidates(context.pool, wanted, MATCHES);
  return {
    matches: candidates.map((candidate) => ({
      skill: presentTo(candidate, caller),
      score: scoreOf(fitOf(wanted, candidate)),
      reasons: reasonsFor(wanted, candidate),
    })),
  };
}

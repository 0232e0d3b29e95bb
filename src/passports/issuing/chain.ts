import type { PassportFacts } from '../../authority/index.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { findChainAgents } from '../lists/queries.ts';
import type { FactsInUse } from './facts.ts';
import type { ParentToken } from './parent-token.ts';

/**
 * The facts of the agents that a passport was delegated from, its parent's first and those of the root last: a child
 * works by what they were given, so none of them may be blocked (decision A30). Empty for a passport that was issued.
 * @throws CarnetError NOT_FOUND
 */
export async function factsAbove(
  { pool }: Pick<Context, 'pool'>,
  { jti, claims }: ParentToken,
  facts: FactsInUse,
): Promise<PassportFacts[]> {
  if (claims.delegation_depth === 0) return [];
  const [, ...above] = await findChainAgents(pool, jti);
  const found: PassportFacts[] = [];
  for (const agentId of above) {
    const agent = await facts.of(agentId);
    assertThat(agent, () => notFound('agent'));
    found.push(agent);
  }
  return found;
}

import { findAgent } from '../../accounts/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runKeptCommand } from '../../commands/run.ts';
import type { Config } from '../../context/config.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, invalid } from '../../errors/carnet-error.ts';
import { newId, type OperatorId } from '../../ids/ids.ts';
import { cut, shown } from '../../json/shown.ts';
import { pricesOfModel } from '../../models/settings.ts';
import { checkSchemas } from './check-schemas.ts';
import { hasCode, isAnsweredBySeller, modelsOf } from '../skill-code.ts';
import { keptSkill, type KeptSkill } from '../kept-skill.ts';
import type { PublishSkill, Skill } from '../schema.ts';
import { showSkill } from '../show-skill.ts';
import { approvalToSpend, assertMaySpendSellerKey } from './seller-key.ts';
import { insertSkill } from './write-queries.ts';

/** Characters of the names of models in a refusal. */
const SHOWN_MODELS = 1_000;

/**
 * Whether a new skill waits for an administrator: with the setting `code`, no matter what the service would execute or show as
 * code (decision K1).
 */
export const needsReview = (setting: Config['skillReview'], skill: PublishSkill): boolean =>
  setting === 'all' || (setting === 'code' && (skill.execution_mode !== 'open' || hasCode(skill)));

/** A model of a step that the service would execute and does not offer: the skill could never run. */
export function checkModels({ modelProviders }: Config, body: PublishSkill): void {
  if (body.execution_mode === 'open') return;
  const [first, ...more] = modelsOf(body)
    .filter((asked) => pricesOfModel(modelProviders, asked) === undefined)
    .map(({ path, provider, model }) => ({
      path,
      code: 'unknown_model',
      message: unknownModel(modelProviders, { provider, model }),
    }));
  if (first !== undefined) throw invalid(first, ...more);
}

const unknownModel = (
  providers: Config['modelProviders'],
  { provider, model }: { provider: string; model: string },
): string => {
  const names = providers.flatMap(({ slug, models }) => [...models.keys()].map((name) => `${slug}/${name}`));
  const offered = names.length === 0 ? 'it offers none' : `it offers ${cut(names.join(', '), SHOWN_MODELS)}`;
  return `names ${shown(provider)}/${shown(model)}, which the service does not offer; ${offered}`;
};

/**
 * Publishes a skill, which is active immediately or waits in pending_review.
 * @throws CarnetError VALIDATION_ERROR for a refused schema, a model that is not offered or an agent of somebody else; SKILL_NAME_TAKEN;
 *   where its seller's key answers ADMIN_REQUIRED, and by a credential that ends GOVERNANCE_APPROVAL_REQUIRED.
 */
export async function publishSkill(context: Context, call: CommandCall, body: PublishSkill): Promise<Answered<Skill>> {
  if (isAnsweredBySeller(body)) assertMaySpendSellerKey(call.caller);
  await checkSchemas(context, call.caller, { input_schema: body.input_schema, output_schema: body.output_schema });
  checkModels(context.config, body);
  const id = newId('skl');
  const review = needsReview(context.config.skillReview, body);
  return await runKeptCommand<Skill, KeptSkill>(context, call, {
    kept: keptSkill,
    work: async (unit) => {
      const { connection, audit } = unit;
      const { operatorId } = call.caller;
      await checkAgent(connection, operatorId, body);
      const refused = await approvalToSpend(context, { unit, call, body });
      if (refused !== null) return refused;
      await insertSkill(connection, { id, operatorId, body, review });
      await audit('skill.published', id, { name: body.name, version: body.version, review });
      return { status: 201, body: await showSkill(context, connection, id), location: `/v1/skills/${id}` };
    },
  });
}

/** @throws CarnetError VALIDATION_ERROR for an agent of somebody else */
export async function checkAgent(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { agent_id: agentId }: Pick<PublishSkill, 'agent_id'>,
): Promise<void> {
  if (agentId === undefined) return;
  const agent = await findAgent(connection, { operatorId, agentId });
  assertThat(agent, () => invalid({ path: 'agent_id', code: 'unknown_agent', message: 'must be an agent of yours' }));
}

import { hash } from 'node:crypto';
import type { Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import type { CheckSkill } from '../schema.ts';
import { checkSchemas } from './check-schemas.ts';
import { checkAgent, checkModels } from './publish-skill.ts';
import { assertMaySpendSellerKey } from './seller-key.ts';
import { isAnsweredBySeller } from '../skill-code.ts';

/**
 * Refuses a skill that could not be published, and an input that it would not take. Nothing is stored or executed; whether the name is free shows
 * when it is published.
 * @throws CarnetError as publishing does; INPUT_SCHEMA_MISMATCH
 */
export async function checkSkill(context: Context, caller: Caller, { input, ...skill }: CheckSkill): Promise<void> {
  if (isAnsweredBySeller(skill)) assertMaySpendSellerKey(caller);
  const { input_schema: inputSchema, output_schema: outputSchema } = skill;
  await checkSchemas(context, caller, { input_schema: inputSchema, output_schema: outputSchema });
  checkModels(context.config, skill);
  await checkAgent(context.pool, caller.operatorId, skill);
  if (input === undefined) return;
  const schemaText = JSON.stringify(inputSchema);
  const errors = await context.schemas.validate({
    schemaText,
    schemaHash: hash('sha256', schemaText, 'hex'),
    valueText: JSON.stringify(input),
    root: 'input',
    caller: caller.operatorId,
  });
  const [first] = errors;
  if (first !== undefined)
    throw new CarnetError(
      'INPUT_SCHEMA_MISMATCH',
      `The input does not match the input schema: ${first.path} ${first.message}.`,
      {
        errors,
      },
    );
}

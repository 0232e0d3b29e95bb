import { z } from 'zod';
import type { Context } from '../context.ts';
import { sql } from '../database/pool.ts';
import type { FieldFault } from '../http/errors.ts';

/** A schema and the hash it is known by; the same hash is the same schema for ever. */
const SchemaRow = z.object({ hash: z.string(), schema: z.string() });
const InputRow = SchemaRow.extend({ revision: z.number() });
type InputContract = z.infer<typeof InputRow>;

/**
 * The input schemas of skills that were invoked of late, by skill. What is in here may be old: invoke_skill() says so when it is,
 * and `forgetRevision` is called.
 */
const contracts = new Map<string, InputContract>();
const CONTRACTS = 1_000;

export const forgetRevision = (skillId: string): void => void contracts.delete(skillId);

async function inputContract(context: Context, skillId: string): Promise<InputContract | null> {
  const known = contracts.get(skillId);
  if (known !== undefined) return known;
  const contract = await context.pool.maybeOne(sql.type(InputRow)`
    select s.revision, encode(c.hash, 'hex') as hash, c.schema from skills s join skill_schemas c on c.hash = s.input_schema_hash where s.id = ${skillId}`);
  if (contract === null) return null;
  const oldest = contracts.size >= CONTRACTS ? contracts.keys().next().value : undefined;
  if (oldest !== undefined) contracts.delete(oldest);
  contracts.set(skillId, contract);
  return contract;
}

export interface InputCheck {
  /** Of the skill that the input was checked against; null: no such skill. */
  revision: number | null;
  faults: FieldFault[];
}

/**
 * Checks an input (JSON text) against the skill's schema as far as this process knows it.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE
 */
export async function checkInput(context: Context, skillId: string, input: string): Promise<InputCheck> {
  const contract = await inputContract(context, skillId);
  if (contract === null) return { revision: null, faults: [] };
  return { revision: contract.revision, faults: await context.schemas.validate(contract.schema, contract.hash, input, 'input') };
}

/**
 * Checks an output (JSON text) against the schema of the revision that was invoked; none for an unknown invocation.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE
 */
export async function checkOutput(context: Context, invocationId: string, output: string): Promise<FieldFault[]> {
  const contract = await context.pool.maybeOne(sql.type(SchemaRow)`
    select encode(c.hash, 'hex') as hash, c.schema
    from invocations i
      join skill_revisions r on r.skill_id = i.skill_id and r.revision = i.skill_revision
      join skill_schemas c on c.hash = r.output_schema_hash
    where i.id = ${invocationId}`);
  return contract === null ? [] : context.schemas.validate(contract.schema, contract.hash, output, 'output');
}

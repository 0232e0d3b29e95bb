import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';
import type { FieldFault } from '../errors/carnet-error.ts';
import { findInputContract, findOutputContract, type Contract } from '../skills/index.ts';
import { BoundedMap } from './bounded-map.ts';

/**
 * The input schemas of skills that were invoked lately, by skill. One may be outdated: invoke_skill() then refuses, and
 * `forgetInputContract` is called. A schema has 64 KiB at most, most have far less.
 */
const inputContracts = new BoundedMap<string, Contract>(1_000);
/** The output schemas of revisions, which never change, by `skill/revision`. */
const outputContracts = new BoundedMap<string, Contract>(1_000);

interface InvokedRevision {
  skill_id: string;
  skill_revision: number;
}
const InvokedRevisionRow = z.object({ skill_id: z.string(), skill_revision: z.number() });

/**
 * The skill and revision of claimed invocations, by invocation, so that completing one need not read its row first.
 */
const claimed = new BoundedMap<string, InvokedRevision>(10_000);

export const forgetInputContract = (skillId: string): void => void inputContracts.delete(skillId);

export const rememberClaimed = ({ id, skill_id, skill_revision }: InvokedRevision & { id: string }): void =>
  void claimed.set(id, { skill_id, skill_revision });

export interface InputCheck {
  /** The revision of the skill whose schema was used; null: there is no such skill. */
  revision: number | null;
  faults: FieldFault[];
}

/**
 * Checks an input (JSON text) against the skill's schema, as this process read it last.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE
 */
export async function checkInput(context: Context, skillId: string, input: string): Promise<InputCheck> {
  const contract = inputContracts.get(skillId) ?? (await findInputContract(context.pool, skillId));
  if (contract === null) return { revision: null, faults: [] };
  inputContracts.set(skillId, contract);
  return {
    revision: contract.revision,
    faults: await context.schemas.validate(contract.schema, contract.hash, input, 'input'),
  };
}

/**
 * Checks an output (JSON text) against the schema of the revision that was invoked; no fault for an unknown invocation.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE
 */
export async function checkOutput(context: Context, invocationId: string, output: string): Promise<FieldFault[]> {
  const invoked =
    claimed.get(invocationId) ??
    (await context.pool.maybeOne(
      sql.type(InvokedRevisionRow)`select skill_id, skill_revision from invocations where id = ${invocationId}`,
    ));
  if (invoked === null) return [];
  const { skill_id: skillId, skill_revision: revision } = invoked;
  const name = `${skillId}/${revision}`;
  const contract = outputContracts.get(name) ?? (await findOutputContract(context.pool, { skillId, revision }));
  if (contract === null) return [];
  outputContracts.set(name, contract);
  return context.schemas.validate(contract.schema, contract.hash, output, 'output');
}

import { z } from 'zod';
import { LRUCache } from 'lru-cache';
import { defineCache } from '../context/caches.ts';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';
import type { FieldFault } from '../errors/carnet-error.ts';
import { findInputContract, findOutputContract, type Contract } from '../skills/index.ts';

/**
 * The input schemas of skills that were invoked lately, by skill. One may be outdated: invoke_skill() then refuses, and
 * `forgetInputContract` is called. A schema has 64 KiB at most, most have far less.
 */
const inputContracts = defineCache(() => new LRUCache<string, Contract>({ max: 1_000 }));
/** The output schemas of revisions, which never change, by `skill/revision`. */
const outputContracts = defineCache(() => new LRUCache<string, Contract>({ max: 1_000 }));

interface InvokedRevision {
  skill_id: string;
  skill_revision: number;
}
const InvokedRevisionRow = z.object({ skill_id: z.string(), skill_revision: z.number() });

/**
 * The skill and revision of claimed invocations, by invocation, so that completing one need not read its row first.
 */
const claimed = defineCache(() => new LRUCache<string, InvokedRevision>({ max: 10_000 }));

export const forgetInputContract = ({ caches }: Context, skillId: string): void =>
  void caches.get(inputContracts).delete(skillId);

export const rememberClaimed = (
  { caches }: Context,
  { id, skill_id, skill_revision }: InvokedRevision & { id: string },
): void => void caches.get(claimed).set(id, { skill_id, skill_revision });

interface InputCheck {
  /** The revision of the skill whose schema was used; null: there is no such skill. */
  revision: number | null;
  faults: FieldFault[];
}

/**
 * Checks an input (JSON text) against the skill's schema, as this process read it last.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE
 */
export async function checkInput(context: Context, skillId: string, input: string): Promise<InputCheck> {
  const contracts = context.caches.get(inputContracts);
  const contract = contracts.get(skillId) ?? (await findInputContract(context.pool, skillId));
  if (contract === null) return { revision: null, faults: [] };
  contracts.set(skillId, contract);
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
    context.caches.get(claimed).get(invocationId) ??
    (await context.pool.maybeOne(
      sql.type(InvokedRevisionRow)`select skill_id, skill_revision from invocations where id = ${invocationId}`,
    ));
  if (invoked === null) return [];
  const { skill_id: skillId, skill_revision: revision } = invoked;
  const name = `${skillId}/${revision}`;
  const contracts = context.caches.get(outputContracts);
  const contract = contracts.get(name) ?? (await findOutputContract(context.pool, { skillId, revision }));
  if (contract === null) return [];
  contracts.set(name, contract);
  return context.schemas.validate(contract.schema, contract.hash, output, 'output');
}

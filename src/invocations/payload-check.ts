import { z } from 'zod';
import { LRUCache } from 'lru-cache';
import { defineCache } from '../context/caches.ts';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';
import type { FieldFault } from '../errors/carnet-error.ts';
import { findInputContract, findOutputContract, type Contract, type InputContract } from '../skills/index.ts';

/**
 * The input schemas of skills that were invoked lately, by skill. One may be outdated: invoke_skill() then refuses, and
 * `forgetInputContract` is called. A schema has 64 KiB at most, most have far less.
 */
const inputContracts = defineCache(() => new LRUCache<string, InputContract>({ max: 1_000 }));
/** The output schemas of revisions, which never change, by `skill/revision`. */
const outputContracts = defineCache(() => new LRUCache<string, Contract>({ max: 1_000 }));

const InvokedRevisionRow = z.object({
  skill_id: z.string(),
  skill_revision: z.number(),
  provider_operator_id: z.string(),
});
type InvokedRevision = z.infer<typeof InvokedRevisionRow>;

/**
 * Skill, revision and provider of claimed invocations, by invocation, so that completing one need not read its row first.
 */
const claimed = defineCache(() => new LRUCache<string, InvokedRevision>({ max: 10_000 }));

export const forgetInputContract = ({ caches }: Context, skillId: string): void =>
  void caches.get(inputContracts).delete(skillId);

export const rememberClaimed = (
  { caches }: Context,
  { id, skill_id, skill_revision, provider_operator_id }: InvokedRevision & { id: string },
): void => void caches.get(claimed).set(id, { skill_id, skill_revision, provider_operator_id });

interface InputCheck {
  /** The revision of the skill whose schema was used; null: there is no such skill. */
  revision: number | null;
  /** Whether the service executes it. */
  isExecuted: boolean;
  faults: FieldFault[];
}

/**
 * Checks an input (JSON text) against the skill's schema, as this process read it last. Where the check may take long, `admit` comes
 * first and throws what the call is refused with anyway: a refused call costs no check. A light check costs less than that look.
 * @throws CarnetError RATE_LIMITED, TEMPORARILY_UNAVAILABLE
 */
export async function checkInput(
  context: Context,
  { skillId, input, caller }: { skillId: string; input: string; caller: string },
  admit: () => Promise<void>,
): Promise<InputCheck> {
  const contracts = context.caches.get(inputContracts);
  const contract = contracts.get(skillId) ?? (await findInputContract(context.pool, skillId));
  if (contract === null) return { revision: null, isExecuted: false, faults: [] };
  contracts.set(skillId, contract);
  const { schema: schemaText, hash: schemaHash, revision, execution_mode } = contract;
  if (!context.schemas.isLight(schemaHash, caller)) await admit();
  const faults = await context.schemas.validate({ schemaText, schemaHash, valueText: input, root: 'input', caller });
  return { revision, isExecuted: execution_mode !== 'open', faults };
}

/**
 * Checks an output (JSON text) against the schema of the revision that was invoked; no fault for an unknown invocation, nor for one
 * that `authority` does not provide, since completing it is refused anyway.
 * @param authority the operator that completes it; null for a signal, which acts for the provider, and for the service
 * @param placesOfSchema the faults are for a reader who may not see the output
 * @throws CarnetError RATE_LIMITED, TEMPORARILY_UNAVAILABLE
 */
export async function checkOutput(
  context: Context,
  invocationId: string,
  { output, authority, placesOfSchema = false }: { output: string; authority: string | null; placesOfSchema?: boolean },
): Promise<FieldFault[]> {
  const invoked =
    context.caches.get(claimed).get(invocationId) ??
    (await context.pool.maybeOne(
      sql.type(InvokedRevisionRow)`
        select skill_id, skill_revision, provider_operator_id from invocations where id = ${invocationId}`,
    ));
  if (invoked === null) return [];
  const { skill_id: skillId, skill_revision: revision, provider_operator_id: caller } = invoked;
  if (authority !== null && authority !== caller) return [];
  const name = `${skillId}/${revision}`;
  const contracts = context.caches.get(outputContracts);
  const contract = contracts.get(name) ?? (await findOutputContract(context.pool, { skillId, revision }));
  if (contract === null) return [];
  contracts.set(name, contract);
  const { schema: schemaText, hash: schemaHash } = contract;
  const root = placesOfSchema ? 'output_schema' : 'output';
  return context.schemas.validate({ schemaText, schemaHash, valueText: output, root, placesOfSchema, caller });
}

import { createHash } from 'node:crypto';
import type pg from 'pg';
import canonicalize from 'canonicalize';
import { newId } from '../src/ids/ids.ts';
import type { World } from './world.ts';

/** The row that invoke_skill() and its kin return. */
export interface AnswerRow {
  snapshot: string;
  input: string;
  output: string | null;
}

const digest = (value: object): string =>
  createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex');

/**
 * The three SQL functions of the service called by pg with named statements, the payload hashed as the service does it:
 * the least that a command can cost with these rows. Schemas, roles and keys are not checked.
 */
export const commandsOf = (database: pg.Pool | pg.ClientBase, { skillId, provider, consumer }: World) => {
  const one = async (name: string, text: string, values: unknown[]): Promise<AnswerRow> => {
    const { rows } = await database.query<AnswerRow>({ name, text, values });
    if (rows[0] === undefined) throw new Error(`${name} returned no row.`);
    return rows[0];
  };
  return {
    /** @param id that the invocation gets */
    invoke: (input: object, id: string = newId('inv')): Promise<AnswerRow> =>
      one(
        'invoke',
        `select * from invoke_skill(p_operator => $1, p_agent_part => '', p_actor => 'bench', p_key => null, p_fingerprint => null,
           p_request => $2, p_invocation => $3, p_hold => $4, p_skill => $5, p_revision => 1, p_input => $6, p_input_hash => $7,
           p_input_fits => true, p_agent => null, p_passport => null, p_api_key => null, p_api_key_limit => null,
           p_ttl_seconds => 86400, p_max_price => null)`,
        [consumer.operatorId, 'bench', id, newId('hld'), skillId, JSON.stringify(input), digest(input)],
      ),
    claim: (id: string): Promise<AnswerRow> =>
      one(
        'claim',
        `select * from claim_invocation(p_authority => $1, p_key_operator => null, p_agent_part => null, p_actor => 'bench', p_key => null,
           p_fingerprint => null, p_request => $2, p_invocation => $3, p_attempt => null, p_lease_seconds => null)`,
        [provider.operatorId, 'bench', id],
      ),
    complete: (id: string, output: object): Promise<AnswerRow> =>
      one(
        'complete',
        `select * from complete_invocation(p_authority => $1, p_key_operator => null, p_agent_part => null, p_actor => 'bench', p_key => null,
           p_fingerprint => null, p_request => $2, p_invocation => $3, p_attempt => null, p_output => $4, p_output_hash => $5,
           p_output_fits => true, p_transfer => $6)`,
        [provider.operatorId, 'bench', id, JSON.stringify(output), digest(output), newId('txn')],
      ),
  };
};

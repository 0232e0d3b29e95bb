import { actorName } from '../commands/caller.ts';
import type { CommandCall } from '../commands/command.ts';
import { sql } from '../database/pool.ts';

/** The arguments that every SQL function of a passport command has: caller, Idempotency-Key and request id. */
export const commandArguments = ({ caller, idempotency, requestId }: CommandCall) => sql.fragment`
  p_operator => ${caller.operatorId}, p_actor => ${actorName(caller)}, p_key => ${idempotency?.key ?? null},
  p_fingerprint => ${idempotency === null ? null : sql.binary(idempotency.fingerprint)}, p_request => ${requestId}`;

import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import { CarnetError } from '../errors/carnet-error.ts';
import { countRefusal, problemOf, refusalOf } from '../http/problems.ts';
import { shown } from '../json/shown.ts';
import type { Message } from './message.ts';
import { formOfRefusal, RpcCodes, toolRefusal } from './refusals.ts';

/** Does the work of a message; a fault of ours is logged, and is an error of the protocol. */
export interface Guard {
  /** A refusal is the result of the tool. @throws ProtocolError */
  asResult<T>(tool: string, work: () => Promise<T>): Promise<T | CallToolResult>;
  /** A method that has no result for a refusal: it is an error of the protocol. @throws ProtocolError */
  asError<T>(method: string, work: () => Promise<T>): Promise<T>;
}

export function guardOf({ context, requestId }: Message): Guard {
  const problem = (refusal: CarnetError, name: string) =>
    problemOf(refusal, { path: `/mcp#${encodeURIComponent(shown(name))}`, requestId });

  /** @throws ProtocolError where nobody was refused anything */
  const refusalIn = (error: unknown, name: string): CarnetError => {
    if (error instanceof ProtocolError) throw error;
    const refusal = refusalOf(error);
    if (refusal !== undefined && formOfRefusal[refusal.code] !== 'fault') {
      countRefusal(refusal);
      return refusal;
    }
    context.log.error({ err: error, requestId, tool: shown(name) }, 'a tool failed by a fault of ours');
    const fault = new CarnetError(
      'INTERNAL_ERROR',
      'The fault is ours and was recorded under the request_id. Calling again with the same idempotency_key is safe.',
    );
    throw new ProtocolError(RpcCodes.internalError, fault.message, problem(fault, name));
  };

  return {
    async asResult(tool, work) {
      try {
        return await work();
      } catch (error) {
        const refusal = refusalIn(error, tool);
        return toolRefusal(refusal, problem(refusal, tool));
      }
    },
    async asError(method, work) {
      try {
        return await work();
      } catch (error) {
        const refusal = refusalIn(error, method);
        throw new ProtocolError(RpcCodes.refused, `${refusal.code}: ${refusal.message}`, problem(refusal, method));
      }
    },
  };
}

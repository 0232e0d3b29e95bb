import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { translated } from '../database/errors.ts';
import { keepConnection } from '../database/keep-connection.ts';
import { sql, type DatabaseTransactionConnection } from '../database/pool.ts';
import { activeTraceparent } from '../tracing/tracing.ts';
import { actorName } from './caller.ts';
import type { CommandCall } from './command.ts';

/** A command may do this besides its own SQL, all in its transaction. */
export interface Unit {
  connection: DatabaseTransactionConnection;
  audit(action: string, target: string, detail?: Record<string, unknown>): Promise<void>;
  /**
   * Leaves a message that wakes the life `workflowId`; the life reads its row.
   * @param owner whose turn the delivery takes; the caller's operator unless given
   */
  wake(workflowId: string, owner?: string): Promise<void>;
  /**
   * Has a life looked at half a minute later. For what this call does first itself, outside of its transactions: where it does not come that far, the
   * life goes on.
   */
  lookLater(workflowId: string): Promise<void>;
  /** Nothing of a life is due any more: this call did all of it. */
  lookNoMore(workflowId: string): Promise<void>;
  /** After the commit: waiters and caches of these ids read them again. */
  changed(...ids: string[]): void;
}

/** The work that follows the commit of a command: ids of rows that changed, and how many messages it left for lives. */
export interface CommandEffects {
  changed: string[];
  messages: number;
}

const Nothing = z.object({});

export function openUnit(
  call: CommandCall,
  connection: DatabaseTransactionConnection,
): { unit: Unit; effects(): CommandEffects } {
  const changed: string[] = [];
  let messages = 0;
  const unit: Unit = {
    connection,
    changed: (...ids) => void changed.push(...ids),
    audit: async (action, target, detail = {}) => {
      await connection.query(sql.type(Nothing)`
        insert into audit_events (operator_id, actor, action, target, detail, request_id)
        values (${call.caller.operatorId}, ${actorName(call.caller)}, ${action}, ${target}, ${JSON.stringify(detail)}::jsonb, ${call.requestId})`);
    },
    wake: async (workflowId, owner = call.caller.operatorId) => {
      messages += 1;
      await connection.query(sql.type(Nothing)`select wake_life(${workflowId}, ${owner})`);
    },
    lookNoMore: async (workflowId) => {
      await connection.query(sql.type(Nothing)`select begin_look(${workflowId})`);
    },
    lookLater: async (workflowId) => {
      await connection.query(sql.type(Nothing)`select look_later(${workflowId}, ${call.caller.operatorId})`);
    },
  };
  return { unit, effects: () => ({ changed, messages }) };
}

/** Where it is part of a trace, so is what the lives do that it leaves messages for. @throws CarnetError for what the database refuses. */
export const inTransaction = <T>(
  context: Context,
  work: (connection: DatabaseTransactionConnection) => Promise<T>,
): Promise<T> =>
  translated(
    keepConnection(context.pool, (pooled) =>
      pooled.transaction(async (connection) => {
        const trace = activeTraceparent();
        if (trace !== undefined)
          await connection.query(sql.type(Nothing)`select set_config('carnet.trace', ${trace}, true)`);
        return work(connection);
      }),
    ),
  );

/** After a commit: wakes who waits on the changed rows, and the delivery of messages to lives. */
export function announce(context: Context, effects: CommandEffects): void {
  if (effects.changed.length > 0) context.rowEvents.changed(...effects.changed);
  if (effects.messages > 0) context.delivery.messagesCommitted();
}

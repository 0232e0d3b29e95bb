import { ProtocolError, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CarnetError } from '../errors/carnet-error.ts';
import { cancel, get } from '../invocations/routes.ts';
import type { Invocation } from '../invocations/schema.ts';
import type { Guard } from './guard.ts';
import { resultOf } from './order.ts';
import { RpcCodes } from './refusals.ts';
import { taskOf } from './task.ts';
import type { ToolCall } from './tool.ts';

const TaskParams = z.looseObject({ taskId: z.string() });

/** The methods of the extension. A task of another operator is unknown, also to the provider that works on it. */
export function serveTasks({ server }: McpServer, { call, guard }: { call: ToolCall; guard: Guard }): void {
  const { callRoute, operatorId } = call;

  const read = async (taskId: string): Promise<Invocation> => {
    const { body } = await callRoute(get, { params: { id: taskId } }).catch(unknownWhereNotFound);
    if (body.consumer_operator_id !== operatorId) throw unknown();
    return body;
  };
  server.setRequestHandler('tasks/get', { params: TaskParams }, ({ taskId }) =>
    guard.asError('tasks/get', async () => {
      const invocation = await read(taskId);
      const task = taskOf(invocation);
      return task.status === 'completed' ? { ...task, result: await resultOf(call, invocation) } : task;
    }),
  );
  server.setRequestHandler('tasks/update', { params: TaskParams }, ({ taskId }) =>
    guard.asError('tasks/update', async () => {
      await read(taskId);
      return {};
    }),
  );
  server.setRequestHandler('tasks/cancel', { params: TaskParams }, ({ taskId }) =>
    guard.asError('tasks/cancel', async () => {
      await read(taskId);
      await callRoute(cancel, { params: { id: taskId } }).catch(goOnWhereTooLate);
      return {};
    }),
  );
}

const unknown = () =>
  new ProtocolError(RpcCodes.invalidParams, 'There is no such task, or this credential may not see it.');

function unknownWhereNotFound(error: unknown): never {
  throw error instanceof CarnetError && error.code === 'NOT_FOUND' ? unknown() : error;
}

/** A client says that it no longer needs the result; work that has begun goes on. */
function goOnWhereTooLate(error: unknown): void {
  if (error instanceof CarnetError && (error.code === 'INVOCATION_NOT_PENDING' || error.code === 'INVOCATION_EXPIRED'))
    return;
  throw error;
}

import { isGrpcServiceError } from '@temporalio/client';
import type { Logger } from 'pino';
import { wake } from '../workflows/life.ts';
import type { Temporal } from './client.ts';
import type { LifeDescription } from '../src/commands/life-description.ts';
import type { LifeDefinition } from './lives.ts';
import { inSpan } from '../src/tracing/tracing.ts';
import { openLife, registerSearchAttributes } from './search-attributes.ts';
import { TaskQueue } from './task-queues.ts';

/** A call that takes longer counts as failed; it may have worked all the same, and waking twice is harmless. */
const CALL_MS = 5_000;
/** When the namespace refused to register the search attributes, how long until that is tried again. */
const TRY_AGAIN_MS = 60_000;

/** gRPC's INVALID_ARGUMENT: the server understood, and does not accept it as it is. */
const INVALID_ARGUMENT = 3;

const hasCode = (error: unknown, code: number): boolean =>
  error instanceof Error && ((isGrpcServiceError(error) && error.code === code) || hasCode(error.cause, code));

export const isInvalidArgument = (error: unknown): boolean => hasCode(error, INVALID_ARGUMENT);

interface Waker {
  /** Makes sure of the search attributes. @throws when Temporal does not answer. */
  prepare(): Promise<void>;
  /** One signal-with-start. @throws ServiceError; see `isInvalidArgument`. */
  wakeLife(life: string, definition: LifeDefinition, description: LifeDescription | undefined): Promise<void>;
}

export function createWaker({ client, namespace }: Temporal, log: Logger): Waker {
  let attributes: 'unknown' | 'registered' | 'refused' = 'unknown';
  let tryAgainAt = 0;

  const inTime = <T>(call: () => Promise<T>): Promise<T> => client.connection.withDeadline(Date.now() + CALL_MS, call);

  const leaveAttributesOut = (error: unknown): void => {
    if (tryAgainAt === 0)
      log.warn(
        { err: error },
        'the search attributes cannot be registered; lives start without them and cannot be listed by them',
      );
    attributes = 'refused';
    tryAgainAt = Date.now() + TRY_AGAIN_MS;
  };

  /** @param named whether with search attributes */
  const startOf = (
    life: string,
    { priority }: LifeDefinition,
    { description, named }: { description: LifeDescription | undefined; named: boolean },
  ) => ({
    workflowId: life,
    taskQueue: TaskQueue.lives,
    // Steps inherit both. A queue gives each operator with waiting tasks its turn, so that nobody waits behind all of another's.
    priority: { priorityKey: priority, fairnessKey: description?.operatorIds[0] ?? '' },
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    ...(description !== undefined && { staticSummary: description.summary, staticDetails: description.details }),
    ...(named && description !== undefined && { typedSearchAttributes: openLife(description) }),
  });

  /**
   * Starts with attributes where they are registered. A namespace made again has lost them: the start that names them is invalid, the one
   * that does not is fine. Starts run side by side, so each goes by what it has named itself, not by what another has found out since.
   */
  const withAttributesOrWithout = async <T>(start: (named: boolean) => Promise<T>): Promise<T> => {
    const named = attributes === 'registered';
    try {
      return await start(named);
    } catch (error) {
      if (!named || !isInvalidArgument(error)) throw error;
      attributes = 'unknown';
      return start(false);
    }
  };

  return {
    async prepare() {
      if (attributes === 'registered' || (attributes === 'refused' && Date.now() < tryAgainAt)) return;
      try {
        await inTime(() => registerSearchAttributes(client, namespace));
        attributes = 'registered';
      } catch (error) {
        if (!answered(error)) throw error;
        leaveAttributesOut(error);
      }
    },
    async wakeLife(life, definition, description) {
      await inSpan('wake life', { attributes: { 'carnet.life': life }, outside: true }, () =>
        withAttributesOrWithout((named) => {
          const start = startOf(life, definition, { description, named });
          return inTime(() => client.workflow.signalWithStart(definition.workflow, { ...start, signal: wake }));
        }),
      );
    },
  };
}

/** UNKNOWN, CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED and UNAVAILABLE say nothing about the request. */
const NO_ANSWER: ReadonlySet<number> = new Set([1, 2, 4, 8, 14]);

const answered = (error: unknown): boolean =>
  error instanceof Error && ((isGrpcServiceError(error) && !NO_ANSWER.has(error.code)) || answered(error.cause));

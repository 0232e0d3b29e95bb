import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { lifeId } from '../../src/ids/life-ids.ts';
import { eventually } from '../support/eventually.ts';
import type { Rig } from './rig.ts';

/** A run of a life, as Temporal shows it. */
export interface Run {
  handle: WorkflowHandle;
  ended(): Promise<void>;
  /** Waits until there is an open run with these current details. */
  showing(text: RegExp): Promise<string>;
  /** Names of the history's events, `WorkflowTaskCompleted` and so on. */
  events(): Promise<string[]>;
  /** Completed workflow tasks. */
  tasks(): Promise<number>;
  /** Everything the history holds, payloads decoded. */
  text(): Promise<string>;
  json(): Promise<Record<string, unknown>>;
}

/** Nobody waits for a life to begin before its row is answered, so it may begin late on a busy machine. */
const LIFE_SECONDS = 120;

interface JsonHistory {
  events: { eventType: string }[];
}

/** @param life a workflow id; without a kind it is that of an invocation. */
export function runOf(rig: Rig, life: string, runId?: string): Run {
  const workflowId = life.includes(':') ? life : lifeId.invocation(life);
  const handle = rig.temporal.client.workflow.getHandle(workflowId, runId);
  const json = async () =>
    JSON.parse(historyToJSON(await handle.fetchHistory())) as JsonHistory & Record<string, unknown>;
  const events = async (): Promise<string[]> =>
    (await json()).events.map(({ eventType }) =>
      eventType
        .replace(/^EVENT_TYPE_/, '')
        .replace(/(?:^|_)([A-Z])([A-Z]*)/g, (_, first: string, rest: string) => first + rest.toLowerCase()),
    );
  return {
    handle,
    events,
    json,
    tasks: async () => (await events()).filter((name) => name === 'WorkflowTaskCompleted').length,
    async ended() {
      await eventually(`${workflowId} to end`, async () => (await handle.describe()).status.name === 'COMPLETED', {
        ignoreErrors: () => true,
        seconds: LIFE_SECONDS,
      });
    },
    showing: (text) =>
      eventually(
        `${workflowId} to show ${text}`,
        async () => {
          const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
          const details = metadata.currentDetails ?? '';
          return text.test(details) && details;
        },
        { ignoreErrors: () => true, seconds: LIFE_SECONDS },
      ),
    text: async () => `${JSON.stringify(await json())} ${decodedPayloads(await json()).join(' ')}`,
  };
}

/** Payload data is base64 in the JSON of a history. */
const decodedPayloads = (value: unknown): string[] => {
  if (typeof value === 'string')
    return /^[A-Za-z0-9+/]{8,}=*$/.test(value) ? [Buffer.from(value, 'base64').toString()] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(decodedPayloads) : [];
};

import { Client, Connection } from '@temporalio/client';
import { lifeId } from '../../temporal/workflow-ids.ts';
import { eventually } from './eventually.ts';
import type { InstanceFacts } from './instance.ts';

/** What Temporal itself tells of the lives of an instance. */
export interface Lives {
  client: Client;
  /** Waits until the newest run of each has come to its end. */
  closed(ids: readonly string[], seconds?: number): Promise<void>;
  close(): Promise<void>;
}

export function livesOf({ credentials }: Pick<InstanceFacts, 'credentials'>): Lives {
  const connection = Connection.lazy({ address: credentials.temporal_address });
  const client = new Client({ connection, namespace: credentials.temporal_namespace });
  return {
    client,
    async closed(ids, seconds = 60) {
      for (const id of ids) {
        const handle = client.workflow.getHandle(lifeId.invocation(id));
        await eventually(`the life of ${id} to be closed`, async () => (await handle.describe()).status.name === 'COMPLETED', {
          seconds,
          ignoreErrors: () => true,
        });
      }
    },
    close: () => connection.close(),
  };
}

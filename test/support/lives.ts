import { Client, Connection } from '@temporalio/client';
import { dataConverter } from '../../temporal/client.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { eventually } from './eventually.ts';

/** Reads the lives of an instance from Temporal itself. */
export interface Lives {
  client: Client;
  /** Waits until the newest run of each has ended. */
  closed(ids: readonly string[], seconds?: number): Promise<void>;
  close(): Promise<void>;
}

export function livesOf({
  temporal_address: address,
  temporal_namespace: namespace,
}: {
  temporal_address: string;
  temporal_namespace: string;
}): Lives {
  const connection = Connection.lazy({ address });
  const client = new Client({ connection, namespace, dataConverter });
  return {
    client,
    async closed(ids, seconds = 120) {
      for (const id of ids) {
        const handle = client.workflow.getHandle(lifeId.invocation(id));
        await eventually(
          `the life of ${id} to be closed`,
          async () => (await handle.describe()).status.name === 'COMPLETED',
          {
            seconds,
            ignoreErrors: () => true,
          },
        );
      }
    },
    close: () => connection.close(),
  };
}

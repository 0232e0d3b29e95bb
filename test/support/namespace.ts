import { Connection } from '@temporalio/client';
import { eventually } from './eventually.ts';

/** Makes a namespace at a Temporal server, and waits until it is there. */
export async function registerNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    await eventually(
      `the namespace ${namespace}`,
      () => connection.workflowService.describeNamespace({ namespace }).then(() => true),
      { ignoreErrors: () => true },
    );
  } finally {
    await connection.close();
  }
}

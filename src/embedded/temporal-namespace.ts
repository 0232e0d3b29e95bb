import { Connection } from '@temporalio/client';
import type { SearchAttributeType } from '@temporalio/common';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';

export interface NamespaceOptions {
  namespace: string;
  /** As `defineSearchAttributeKey` returns them. */
  searchAttributes: readonly { name: string; type: SearchAttributeType }[];
}

/** How long closed runs stay visible; the server's default is a day. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;

/** The server refuses this type; the SDK's types allow for an attribute without one. */
const UNSPECIFIED = 0;

const CALL_TIMEOUT_MS = 2_000;

/**
 * Sets the retention of the namespace and registers missing search attributes. The server's own flag for attributes is
 * not enough, since it registers them in a new database alone.
 *
 * @throws the SDK's error while the server does not serve yet
 */
export async function prepareNamespace(address: string, options: NamespaceOptions): Promise<void> {
  const { namespace } = options;
  // The defaults wait a second between attempts, which is longer than the server takes to start.
  const connection = Connection.lazy({
    address,
    interceptors: [],
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 50, 'grpc.max_reconnect_backoff_ms': 50 },
  });
  const { workflowService, operatorService } = connection;
  try {
    await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
      const { config } = await workflowService.describeNamespace({ namespace });
      if (optionalTsToMs(config?.workflowExecutionRetentionTtl) !== RETENTION_MS) {
        const workflowExecutionRetentionTtl = msToTs(RETENTION_MS);
        await workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } });
      }
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
      const missing = options.searchAttributes.filter(({ name }) => !(name in (customAttributes ?? {})));
      if (missing.length === 0) return;
      const searchAttributes = Object.fromEntries(
        missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type) ?? UNSPECIFIED]),
      );
      await operatorService.addSearchAttributes({ namespace, searchAttributes });
    });
  } finally {
    await connection.close();
  }
}

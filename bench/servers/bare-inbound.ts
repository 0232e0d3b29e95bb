import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { inTransaction } from '../../src/commands/unit.ts';
import { createLogger } from '../../src/context/logging.ts';
import { newId } from '../../src/ids/ids.ts';
import { sealContent } from '../../src/inbound/events/content.ts';
import { advanceInbound } from '../../src/inbound/events/life.ts';
import { eventKey } from '../../src/inbound/receiver/event-key.ts';
import { takeInboundEvent } from '../../src/inbound/receiver/queries.ts';
import { createScanner } from '../../src/inbound/scanner/index.ts';
import { openContext } from '../../src/process/open-context.ts';
import { connectionOptions, dataConverter, openTemporal } from '../../temporal/client.ts';
import { bundleWorkflows } from '../../temporal/workflow-bundle.ts';
import { judged } from '../bare-workflows.ts';
import { configOf } from '../config.ts';
import { eventBody, type Endpoint } from '../endpoints.ts';
import { answering, ready, settings } from './child.ts';

/**
 * An event taken, scanned and judged by one local activity of a bare workflow, which is started and awaited in this process: the statements
 * and the scanner of the service, without HTTP, signature, search attributes, or a second look at the row. The body never reaches Temporal.
 */

export interface InboundRun {
  callers: number;
  seconds: number;
}

export interface InboundRan {
  perSecond: number;
  /** Milliseconds from the start of a workflow to its result. */
  latencies: number[];
}

const TASK_QUEUE = 'bare-inbound';
const given = settings<{ databaseUrl: string; temporalAddress: string; endpoints: Endpoint[] }>();
const where = { address: given.temporalAddress, namespace: 'default', apiKey: undefined, tls: undefined };
const { client } = openTemporal(where);
const opened = await openContext(configOf(given), createLogger('warn'), {
  messagesCommitted() {},
  async begin() {},
  async ready() {},
});
const context = { ...opened, scanner: createScanner() };

/** The texts that workflows judge, by the id of the event. */
const waiting = new Map<string, { endpoint: Endpoint; body: Buffer }>();

/** Takes what waits under this id, and advances it until it has ended. */
async function judge(id: string): Promise<string> {
  const found = waiting.get(id);
  if (found === undefined) throw new Error(`Nothing waits under ${id}.`);
  const { endpoint, body } = found;
  const { event_id: eventId } = JSON.parse(body.toString()) as { event_id: string };
  const contentType = 'application/json';
  const sealed = sealContent(context.encryption, id, { headers: { 'content-type': contentType }, contentType, body });
  await inTransaction(context, (connection) =>
    takeInboundEvent(connection, {
      endpointId: endpoint.id,
      id,
      ...eventKey({ signedId: null, token: null, eventId, messageId: null, body }),
      scheme: 'hex',
      bodyAuthenticated: true,
      contentType,
      size: body.length,
      sealed,
    }),
  );
  return (await advanceInbound(context, id)).status;
}

Runtime.install({ logger: new DefaultLogger('WARN') });
const worker = await Worker.create({
  connection: await NativeConnection.connect(connectionOptions(where)),
  namespace: where.namespace,
  taskQueue: TASK_QUEUE,
  workflowBundle: await bundleWorkflows(fileURLToPath(new URL('../bare-workflows.ts', import.meta.url))),
  activities: { judge },
  dataConverter,
  maxConcurrentLocalActivityExecutions: 8,
});
void worker.run();

async function one(endpoint: Endpoint): Promise<void> {
  const id = newId('iev');
  waiting.set(id, { endpoint, body: Buffer.from(eventBody()) });
  const status = await client.workflow.execute(judged, {
    workflowId: `bare:${randomUUID()}`,
    taskQueue: TASK_QUEUE,
    args: [id],
  });
  waiting.delete(id);
  if (status !== 'ended') throw new Error(`An event was left ${status}.`);
}

answering(async ({ callers, seconds }: InboundRun): Promise<InboundRan> => {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  const caller = async (endpoint: Endpoint): Promise<void> => {
    while (performance.now() < until) {
      const begun = performance.now();
      await one(endpoint);
      latencies.push(performance.now() - begun);
    }
  };
  await Promise.all(given.endpoints.slice(0, callers).map(caller));
  return { perSecond: (latencies.length * 1_000) / (performance.now() - startedAt), latencies };
});
ready();

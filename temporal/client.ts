import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { traceOfWakers } from './traces.ts';
import { ConfigFault, type TemporalSettings } from '../src/context/config.ts';

/** Given to clients, workers and the bundler alike: who decodes must be who encoded. */
export const dataConverter: DataConverter = {
  payloadConverterPath: fileURLToPath(new URL('./payload-converter.ts', import.meta.url)),
};

/** gRPC would wait up to two minutes between two attempts to connect; lives should go on seconds after Temporal is back. */
const MAX_RECONNECT_MS = 3_000;
const CHECK_MS = 1_000;

export interface Temporal {
  readonly client: Client;
  readonly namespace: string;
  /** Whether the namespace answers within a second; never throws. For `/readyz`, whose status does not hang on it. */
  check(): Promise<'ok' | 'degraded'>;
  /** Another one where a namespace of that name was made again; null where Temporal does not answer within a second. */
  namespaceId(): Promise<string | null>;
  close(): Promise<void>;
}

/**
 * Where and how to connect, in the shape that the client's and the worker's connection both take.
 * @throws ConfigFault naming the PEM file that cannot be read.
 */
export function connectionOptions(
  settings: TemporalSettings,
): Pick<ConnectionOptions, 'address' | 'tls'> & { apiKey?: string } {
  const { address, apiKey, tls } = settings;
  return {
    address,
    ...(apiKey !== undefined && { apiKey }),
    ...(tls !== undefined && {
      tls: {
        ...(tls.serverName !== undefined && { serverNameOverride: tls.serverName }),
        ...(tls.ca !== undefined && { serverRootCACertificate: pem('TEMPORAL_TLS_CA', tls.ca) }),
        ...(tls.cert !== undefined &&
          tls.key !== undefined && {
            clientCertPair: { crt: pem('TEMPORAL_TLS_CERT', tls.cert), key: pem('TEMPORAL_TLS_KEY', tls.key) },
          }),
      },
    }),
  };
}

function pem(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigFault('The settings are not valid', [`${setting} must name a PEM file that can be read (${why})`]);
  }
}

/** Connects at the first call and again whenever it must, so no start waits for Temporal. */
export function openTemporal(settings: TemporalSettings): Temporal {
  const connection = Connection.lazy({
    ...connectionOptions(settings),
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_MS },
  });
  const { namespace } = settings;
  const describe = () =>
    connection.withDeadline(Date.now() + CHECK_MS, () => connection.workflowService.describeNamespace({ namespace }));
  return {
    client: new Client({ connection, namespace, dataConverter, interceptors: { workflow: [traceOfWakers] } }),
    namespace,
    check: () =>
      describe().then(
        () => 'ok',
        () => 'degraded',
      ),
    namespaceId: () =>
      describe().then(
        ({ namespaceInfo }) => namespaceInfo?.id ?? null,
        () => null,
      ),
    close: () => connection.close(),
  };
}

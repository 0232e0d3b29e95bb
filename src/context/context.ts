import type { Logger } from 'pino';
import type { Caches } from './caches.ts';
import type { Config } from './config.ts';
import type { DatabasePool } from '../database/pool.ts';
import type { Encryption } from './encryption.ts';
import type { RowEvents } from '../database/row-events.ts';
import type { SchemaChecker } from '../json-schema/index.ts';
import type { Outbound } from '../outbound/index.ts';
import type { Quota } from '../turns/quota.ts';
import type {
  AgentConduct,
  ContentReader,
  Delivery,
  PassportRevocation,
  RecordEvent,
  RequireApproval,
} from './ports.ts';
import type { PaymentProvider } from './payment-provider.ts';

/**
 * Every part of the service is given this; made once in `openContext` and passed as an argument. The last seven are ports: what a lower
 * room needs done by a higher one.
 */
export interface Context {
  readonly config: Config;
  readonly log: Logger;
  readonly pool: DatabasePool;
  readonly encryption: Encryption;
  readonly rowEvents: RowEvents;
  readonly schemas: SchemaChecker;
  /** The milliseconds of processor time that each operator has for checks of values and for heavy reads. */
  readonly processorTime: Quota;
  /** The objects that domains keep in memory (`defineCache`). */
  readonly caches: Caches;
  /** Calls to addresses that users choose. */
  readonly outbound: Outbound;
  readonly delivery: Delivery;
  readonly recordEvent: RecordEvent;
  readonly requireApproval: RequireApproval;
  readonly passportRevocation: PassportRevocation;
  readonly agentConduct: AgentConduct;
  readonly contentReader: ContentReader;
  readonly payments: PaymentProvider;
}

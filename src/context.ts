import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { DatabasePool } from './database/pool.ts';
import type { Encryption } from './encryption.ts';
import type { RowEvents } from './row-events.ts';
import type { SchemaChecker } from './skills/json-schema/index.ts';

/** Tells the process that a commit left messages for lives, so that they are delivered half a second later (architecture). */
export interface Delivery {
  messagesCommitted(): void;
}

/** What every part of the service is given; made once in `openContext`, passed as an argument, never a singleton. */
export interface Context {
  readonly config: Config;
  readonly log: Logger;
  readonly pool: DatabasePool;
  readonly encryption: Encryption;
  readonly rowEvents: RowEvents;
  readonly schemas: SchemaChecker;
  readonly delivery: Delivery;
}

import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { DatabasePool } from '../database/pool.ts';
import type { Encryption } from './encryption.ts';
import type { RowEvents } from '../database/row-events.ts';
import type { SchemaChecker } from '../json-schema/index.ts';

/** How commands reach lives. */
export interface Delivery {
  /** Tells the process that a commit left messages for lives, so that they are delivered half a second later (architecture). */
  messagesCommitted(): void;
  /**
   * For the few whose answer an outside effect makes: starts the life, or finds it at work, and returns when it has done what its row
   * asks for first. What came of it is in the row.
   * @throws CarnetError TEMPORARILY_UNAVAILABLE with Retry-After where no worker answers within 10 s; the life goes on by itself.
   */
  ready(life: string): Promise<void>;
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

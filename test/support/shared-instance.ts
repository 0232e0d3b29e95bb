import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import type { TemporalServer } from '../temporal/temporal-server.ts';
import { removeDataDir } from './data-dir.ts';
import { startInstance, type Instance } from './instance.ts';
import { startProgram } from './process.ts';

/** The settings that a process of the suite gets into its environment when it uses the instance. */
type Environment = Record<'CARNET_TEST_INSTANCE' | 'WORKFLOW_BUNDLE', string>;
/** A process of the suite asks for Carnet, or for a Temporal server whose workers may be killed. */
type Wanted = 'instance' | 'temporal';
type Answer = { environment: Environment } | { address: string } | { error: string };

/**
 * One Carnet for the whole suite, and one Temporal server for the tests that kill workers, each started when a file first asks for it: the
 * files that need none begin in a second. The process that began the suite owns them, and the processes of a parallel run ask over a socket.
 */
export class SharedInstance {
  readonly #server: Server;
  readonly #made: string;
  #started: Promise<{ instance: Instance; environment: Environment }> | undefined;
  #temporal: Promise<TemporalServer> | undefined;

  private constructor(made: string) {
    this.#made = made;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined); // a process that asked and died
      void text(socket)
        .then((wanted) => this.#answer(wanted as Wanted))
        .catch((error: unknown): Answer => ({ error: String(error) }))
        .then((answer) => socket.end(JSON.stringify(answer)));
    });
  }

  static async open(): Promise<SharedInstance> {
    const shared = new SharedInstance(await mkdtemp(join(tmpdir(), 'carnet-made-')));
    const socket = join(shared.#made, 'instance.sock');
    await once(shared.#server.listen(socket), 'listening');
    process.env.CARNET_TEST_SOCKET = socket;
    // For what the suite starts from here on, with the instance or without: its own processes and programs as well.
    process.env.NODE_COMPILE_CACHE = join(shared.#made, 'compile-cache');
    return shared;
  }

  async #answer(wanted: Wanted): Promise<Answer> {
    if (wanted === 'instance') return { environment: (await this.start()).environment };
    return { address: (await (this.#temporal ??= this.#startTemporal())).address };
  }

  async #startTemporal(): Promise<TemporalServer> {
    // Loaded here: a file that needs no Temporal begins without its client.
    const { startTemporal } = await import('../temporal/temporal-server.ts');
    return await startTemporal();
  }

  start(): Promise<{ instance: Instance; environment: Environment }> {
    return (this.#started ??= this.#start());
  }

  /** The suite starts some hundred processes: with these caches a worker needs a third of the processor time to start, an API two thirds. */
  async #start(): Promise<{ instance: Instance; environment: Environment }> {
    const workflowBundle = join(this.#made, 'workflow-bundle.js');
    const [instance, bundled, loaded] = await Promise.all([
      startInstance(), // bundles for itself, as it comes
      startProgram('scripts/bundle-workflows.ts', {}, [workflowBundle]).ended,
      startProgram('test/support/load-roles.ts', {}).ended,
    ]);
    if (bundled !== 0) throw new Error(`scripts/bundle-workflows.ts ended with ${bundled}.`);
    if (loaded !== 0) throw new Error(`test/support/load-roles.ts ended with ${loaded}.`);
    const { baseUrl, dataDir, databaseUrl, credentials } = instance;
    await waitForNoDisk(databaseUrl);
    return {
      instance,
      environment: {
        CARNET_TEST_INSTANCE: JSON.stringify({ baseUrl, dataDir, databaseUrl, credentials }),
        WORKFLOW_BUNDLE: workflowBundle,
      },
    };
  }

  /** Ends it where it was started. @param look what is looked at before that */
  async close(look: () => Promise<void>): Promise<void> {
    this.#server.close();
    const started = await this.#started?.catch(() => undefined);
    try {
      if (started !== undefined) {
        Object.assign(process.env, started.environment);
        await look();
      }
    } finally {
      await (await this.#temporal?.catch(() => undefined))?.remove();
      await started?.instance.stop();
      if (started !== undefined) await removeDataDir(started.instance.dataDir);
      await rm(this.#made, { recursive: true, force: true });
    }
  }
}

/** Tests kill processes and never the machine, after which alone a write that the disk has not confirmed is lost: a commit costs a tenth. */
async function waitForNoDisk(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('alter system set fsync = off');
  await client.query('select pg_reload_conf()');
  await client.end();
}

let wanted = false;

/** Said by `service.ts` when a file loads it: the tests of this process speak to the instance. */
export const wantSharedInstance = (): void => void (wanted = true);

/** Where a file of this process wants the instance: asks the process that began the suite for it, and waits until it is ready. */
export async function sharedInstanceWhereWanted(): Promise<void> {
  if (!wanted || process.env.CARNET_TEST_INSTANCE !== undefined) return;
  const answer = await ask('instance');
  if ('environment' in answer) Object.assign(process.env, answer.environment);
}

/** Asks the process that began the suite for the Temporal server on which workers may be killed. @returns its address */
export async function sharedTemporal(): Promise<string> {
  const answer = await ask('temporal');
  if (!('address' in answer)) throw new Error('There is no Temporal server.');
  return answer.address;
}

async function ask(part: Wanted): Promise<Answer> {
  const path = process.env.CARNET_TEST_SOCKET;
  if (path === undefined) throw new Error('Run the tests with mocha from the project folder.');
  const socket = connect({ path, allowHalfOpen: true });
  socket.end(part);
  const answer = JSON.parse(await text(socket)) as Answer;
  if ('error' in answer) throw new Error(answer.error);
  return answer;
}

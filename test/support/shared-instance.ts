import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { removeDataDir, startInstance, type Instance } from './instance.ts';
import { startProgram } from './process.ts';

/** The settings that a process of the suite gets into its environment when it uses the instance. */
type Environment = Record<'CARNET_TEST_INSTANCE' | 'WORKFLOW_BUNDLE', string>;
type Answer = { environment: Environment } | { error: string };

/**
 * One Carnet for the whole suite, started when a file first asks for it: the files that need none begin in a second. The process that began
 * the suite owns it, and the processes of a parallel run ask over a socket.
 */
export class SharedInstance {
  readonly #server: Server;
  readonly #made: string;
  #started: Promise<{ instance: Instance; environment: Environment }> | undefined;

  private constructor(made: string) {
    this.#made = made;
    this.#server = createServer((socket) => {
      socket.on('error', () => undefined); // a process that asked and died
      this.start().then(
        ({ environment }) => socket.end(JSON.stringify({ environment } satisfies Answer)),
        (error: unknown) => socket.end(JSON.stringify({ error: String(error) } satisfies Answer)),
      );
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
  const socket = process.env.CARNET_TEST_SOCKET;
  if (socket === undefined) throw new Error('Run the tests with mocha from the project folder.');
  const answer = JSON.parse(await text(connect(socket))) as Answer;
  if ('error' in answer) throw new Error(answer.error);
  Object.assign(process.env, answer.environment);
}

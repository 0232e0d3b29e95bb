import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir, startInstance, type Instance } from './instance.ts';
import { startProgram } from './process.ts';

let instance: Instance | undefined;
/** Prepared once, so that the processes of the suite need not do it again. */
let made: string | undefined;

/** Starts one Carnet for the whole suite; the processes of a parallel run find it in the environment. */
export async function mochaGlobalSetup(): Promise<void> {
  made = await mkdtemp(join(tmpdir(), 'carnet-made-'));
  const [workflowBundle, compileCache] = [join(made, 'workflow-bundle.js'), join(made, 'compile-cache')];
  const [started, bundled, loaded] = await Promise.all([
    startInstance(), // bundles for itself, as it comes
    startProgram('scripts/bundle-workflows.ts', { NODE_COMPILE_CACHE: compileCache }, [workflowBundle]).ended,
    startProgram('test/support/load-roles.ts', { NODE_COMPILE_CACHE: compileCache }).ended,
  ]);
  instance = started;
  if (bundled !== 0) throw new Error(`scripts/bundle-workflows.ts ended with ${bundled}.`);
  if (loaded !== 0) throw new Error(`test/support/load-roles.ts ended with ${loaded}.`);
  const { baseUrl, dataDir, databaseUrl, credentials } = instance;
  process.env.CARNET_TEST_INSTANCE = JSON.stringify({ baseUrl, dataDir, databaseUrl, credentials });
  // The suite starts some hundred processes: with these caches a worker needs a third of the processor time to start,
  // an API two thirds.
  process.env.WORKFLOW_BUNDLE = workflowBundle;
  process.env.NODE_COMPILE_CACHE = compileCache;
}

export async function mochaGlobalTeardown(): Promise<void> {
  try {
    if (instance !== undefined) await assertWhatIsLeft();
  } finally {
    await instance?.stop();
    if (instance !== undefined) await removeDataDir(instance.dataDir);
    if (made !== undefined) await rm(made, { recursive: true, force: true });
  }
}

/** Of all that the tests have left, whichever ran. Loaded here, since each process of a parallel run loads this file. */
async function assertWhatIsLeft(): Promise<void> {
  const [{ assertEveryClaim }, { database }] = await Promise.all([
    import('../claims/every-claim.ts'),
    import('./service.ts'),
  ]);
  await assertEveryClaim(await database());
}

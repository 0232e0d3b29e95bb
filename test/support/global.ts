import { removeDataDir, startInstance, type Instance } from './instance.ts';

let instance: Instance | undefined;

/** One running Carnet for the whole suite; the processes of a parallel run find it in the environment. */
export async function mochaGlobalSetup(): Promise<void> {
  instance = await startInstance();
  const { baseUrl, dataDir, databaseUrl, credentials } = instance;
  process.env.CARNET_TEST_INSTANCE = JSON.stringify({ baseUrl, dataDir, databaseUrl, credentials });
}

export async function mochaGlobalTeardown(): Promise<void> {
  if (instance === undefined) return;
  await instance.stop();
  await removeDataDir(instance.dataDir);
}

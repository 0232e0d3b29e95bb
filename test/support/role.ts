import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/ports.ts';
import { ampleLimits } from './ample-limits.ts';
import { eventually } from './eventually.ts';
import type { InstanceFacts } from './instance.ts';
import { knownProviders } from './model-providers.ts';
import { startProgram, type Started } from './process.ts';

/** A production process, `src/api.ts` or `src/worker.ts`, on parts that run elsewhere. */
export type Role = Started & { baseUrl: string };

/** The settings of a production process on the rows and in the namespace of this instance. */
export async function settingsBeside(facts: InstanceFacts): Promise<Record<string, string>> {
  const { temporal_address: address, temporal_namespace: namespace, admin_api_key: adminKey } = facts.credentials;
  return {
    DATABASE_URL: facts.databaseUrl,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    PLATFORM_ADMIN_KEY: adminKey,
    LOCAL_PROVIDERS: 'true',
    LOG_HEAD_DIR: facts.dataDir,
    ...knownProviders,
    ENCRYPTION_KEY: await readFile(join(facts.dataDir, 'encryption.key'), 'utf8'),
  };
}

/** Starts a production process and waits until its log shows that it is ready. */
export async function startRole(role: 'api' | 'worker', settings: Record<string, string>): Promise<Role> {
  const port = await freePort();
  const program = startProgram(`src/${role}.ts`, {
    PORT: String(port),
    ...ampleLimits,
    PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
    DRAIN_SECONDS: '0',
    WORKER_PORT: role === 'worker' ? String(port) : '0',
    LOG_LEVEL: 'info',
    ...settings,
  });
  await eventually(
    `${role}.ts to be ready`,
    () => {
      if (!program.alive()) throw new Error(`${role}.ts ended before it was ready. It printed:\n${program.output()}`);
      return program.output().includes('"msg":"ready"');
    },
    { seconds: 300 },
  );
  return { ...program, baseUrl: `http://127.0.0.1:${port}` };
}

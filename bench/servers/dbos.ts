import { createServer } from 'node:http';
import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { commandsOf } from '../commands.ts';
import type { World } from '../world.ts';
import { readJson, sendJson, serve, settings } from './child.ts';

/** DBOS: one request runs a durable workflow of three steps, each the SQL function that the service's command calls. */

interface Work {
  input: object;
  output: object;
}

const { world, systemDatabaseUrl, size } = settings<{ world: World; systemDatabaseUrl: string; size: number }>();
const commands = commandsOf(new pg.Pool({ connectionString: world.databaseUrl, max: size }), world);

async function chain({ input, output }: Work): Promise<string> {
  const id = `inv_${DBOS.workflowID}`;
  await DBOS.runStep(() => commands.invoke(input, id), { name: 'invoke' });
  await DBOS.runStep(() => commands.claim(id), { name: 'claim' });
  const { snapshot } = await DBOS.runStep(() => commands.complete(id, output), { name: 'complete' });
  return snapshot;
}

DBOS.setConfig({ name: 'bench', systemDatabaseUrl, logLevel: 'error' });
const durable = DBOS.registerWorkflow(chain, { name: 'chain' });
await DBOS.launch();

await serve(
  createServer((request, response) => {
    void readJson<Work>(request)
      .then(durable)
      .then((snapshot) => sendJson(response, snapshot));
  }),
);

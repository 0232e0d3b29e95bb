import { cpus, totalmem } from 'node:os';
import pg from 'pg';
import type { Lab } from './lab.ts';
import { hammer, loadTool } from './load.ts';
import { pgbench } from './pgbench.ts';
import { rate } from './pairs.ts';

/** The description of this machine. */
export const machine = (): string =>
  `${cpus()[0]?.model ?? 'Unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;

/** The limits of the machine in a sentence, measured in the same run: other figures mean little without these. */
export async function floors(lab: Lab): Promise<string> {
  lab.log('floors of the machine');
  const http = await lab.start('bare-http', { skill: 'ok', answer: {} });
  const answers = await hammer({ method: 'GET', url: http.origin, headers: {} }, lab.seconds(2), lab.dataDir);
  await http.stop();
  const url = await lab.newDatabase('floors');
  const client = new pg.Client(url);
  await client.connect();
  await client.query('create table notes (id bigint generated always as identity primary key, note text not null)');
  await client.end();
  const insert = {
    url,
    script: "insert into notes (note) values ('a note of thirty-two characters')",
    folder: lab.dataDir,
    seconds: lab.seconds(2),
  };
  const one = await pgbench({ ...insert, clients: 1 });
  const eight = await pgbench({ ...insert, clients: 8 });
  return `Floors, a second: node:http ${rate(answers)} (${loadTool}), pgbench ${rate(one)}, with 8 clients ${rate(eight)}.`;
}

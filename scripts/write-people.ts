import { readFile, writeFile } from 'node:fs/promises';
import { withTables } from './people-table.ts';

/** Writes the tables of docs/people.md again; test/tooling/people.test.ts compares them. */
const FILE = new URL('../docs/people.md', import.meta.url);
await writeFile(FILE, withTables(await readFile(FILE, 'utf8')));

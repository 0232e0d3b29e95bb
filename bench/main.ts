import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { b1 } from './b1-http-shell.ts';
import { b2 } from './b2-passport-verify.ts';
import { b3 } from './b3-issue-passport.ts';
import { b4Pages } from './b4-statement-pages.ts';
import { b4 } from './b4-wallet-debit.ts';
import { b5 } from './b5-lives.ts';
import { b6Budgets } from './b6-budgets.ts';
import { b6 } from './b6-command-latency.ts';
import { b7 } from './b7-inbound.ts';
import { b7Scanner } from './b7-scanner.ts';
import { b8 } from './b8-deliveries.ts';
import { b9Log } from './b9-log.ts';
import { b9Validation } from './b9-validation.ts';
import { b10 } from './b10-checkpoint-timers.ts';
import { b11 } from './b11-due-lives.ts';
import { b12 } from './b12-sandbox.ts';
import { b13 } from './b13-rows.ts';
import { b14 } from './b14-console.ts';
import { b15 } from './b15-mcp.ts';
import { b16 } from './b16-search.ts';
import { b17 } from './b17-door.ts';
import type { Bench } from './bench.ts';
import { machine } from './floors.ts';
import { openLab } from './lab.ts';
import { pinLoad } from './pinning.ts';

/** `npm run bench -- <name> [--quick] [--write]`: one bench, with the machine's floors beside it. */

const benches: Record<string, Bench> = {
  b1,
  b2,
  b3,
  b4,
  'b4-pages': b4Pages,
  b5,
  b6,
  'b6-budgets': b6Budgets,
  b7,
  'b7-scanner': b7Scanner,
  b8,
  'b9-log': b9Log,
  'b9-validation': b9Validation,
  b10,
  b11,
  b12,
  b13,
  b14,
  b15,
  b16,
  b17,
};
const DOCUMENT = join(import.meta.dirname, '..', 'docs', 'benchmarks.md');

const log = (line: string): void => console.log(`bench: ${line}`);

/** Puts the tables between the markers of this bench; the text around them is written by people. */
function write(name: string, report: string): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [from, to] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(from), text.indexOf(to)];
  if (start < 0 || end < start) throw new Error(`${DOCUMENT} has no ${from} … ${to} to write between.`);
  writeFileSync(DOCUMENT, `${text.slice(0, start + from.length)}\n\n${report}\n\n${text.slice(end)}`);
  log(`wrote the tables of ${name} into docs/benchmarks.md`);
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const name = positionals[0] ?? '';
const bench = benches[name];
if (bench === undefined || (options.quick && options.write)) {
  console.error(
    `usage: npm run bench -- <${Object.keys(benches).join('|')}> [--write | --quick]\n` +
      '  --write  puts the tables into docs/benchmarks.md\n  --quick  one short pair of each, to see that it runs; its figures mean nothing',
  );
  process.exit(2);
}

const startedAt = performance.now();
const pinned = pinLoad();
const lab = await openLab({ quick: options.quick, log });
try {
  const tables = await bench.run(lab);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  const report = [`${machine()}${pinned ? '' : ', nothing pinned'}; ${minutes} minutes.`, ...tables].join('\n\n');
  console.log(`\n${bench.title}\n\n${report}\n`);
  if (options.write) write(name, report);
} finally {
  await lab.close();
}
process.exit();

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where migrations are, and the list of those that have landed, as `sha256sum` writes it; both from the root of the project. */
export const MIGRATIONS = 'src/database/migrations';
export const LANDED = `${MIGRATIONS}/landed.sha256`;

export interface Landing {
  /** The faults, each as a text for a reader: place, what, why, what to do. */
  faults: string[];
  /** The list as it was, and what it lacks. */
  listed: Map<string, string>;
  missing: Map<string, string>;
}

/**
 * Compares the migrations with the list. A migration that has landed is in somebody's database: it stays as it is.
 * @param root of the project
 */
export function landingOf(root: string): Landing {
  const files = readdirSync(join(root, MIGRATIONS)).filter((name) => name.endsWith('.sql'));
  const texts = new Map(files.toSorted().map((name) => [name, readFileSync(join(root, MIGRATIONS, name))]));
  const sums = new Map([...texts].map(([name, text]) => [name, createHash('sha256').update(text).digest('hex')]));
  const lines = readFileSync(join(root, LANDED), 'utf8').split('\n').filter(Boolean);
  const listed = new Map(lines.map((line): [string, string] => [line.slice(66), line.slice(0, 64)]));
  const faults: string[] = [];
  const fault = (name: string, { what, why, instead }: { what: string; why: string; instead: string }): void =>
    void faults.push(`${MIGRATIONS}/${name} ${what}\n  why: ${why}\n  instead: ${instead}`);
  for (const [name, sum] of listed) {
    if (!sums.has(name))
      fault(name, {
        what: 'has landed and is gone',
        why: 'a database that has it does not start with a release that lacks it, as where it has another number',
        instead: 'restore it under its name; what it made is undone by a new migration',
      });
    else if (sums.get(name) !== sum)
      fault(name, {
        what: 'has landed and is another one now',
        why: 'a database that has the one of before does not start with this release',
        instead: 'restore it (git log finds the commit), and write a new migration',
      });
  }
  const numbers = Map.groupBy(sums.keys(), (name) => name.slice(0, 4));
  for (const [number, names] of numbers)
    if (names.length > 1)
      fault(names[1] ?? '', {
        what: `has the number ${number}, and so has ${names[0]}`,
        why: 'nothing says which comes first',
        instead: 'give the one that has not landed the next free number',
      });
  return { faults, listed, missing: new Map([...sums].filter(([name]) => !listed.has(name))) };
}

/** The words of the check about migrations that the list lacks. */
export const missingFaults = ({ missing }: Landing): string[] =>
  [...missing.keys()].map(
    (name) =>
      `${MIGRATIONS}/${name} is not in ${LANDED}\n  why: from its commit on it stays as it is, and the list notices where it does not\n  instead: node scripts/land-migrations.ts, in the commit that brings it`,
  );

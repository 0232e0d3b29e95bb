import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { oneLine } from './bytes.ts';
import { verifyBundle, type Trust } from './checks.ts';
import { Fault, must } from './fault.ts';
import { parseJson, type JsonValue } from './json.ts';
import { parseVerifierKey, type VerifierKey } from './keys.ts';
import { parsePolicy } from './policy.ts';

// Verifies the bundle of a claim offline, with the published formats alone. Exit code 0: every check that could be made holds;
// 1: one does not; 2: something cannot be read, or the call is wrong; 3: the payload was erased, and everything else holds.

const USAGE = `usage: npm run verify -- <bundle.json> --key <verifier key, or a file with it>
  --policy <file>       a C2SP tlog-policy: its logs are trusted, its quorum of witnesses must have signed
  --checkpoint <file>   a checkpoint of the log that you kept: the log must still hold what it held then
  --consistency <file>  the answer of /v1/log/proofs/consistency between that checkpoint and the bundle's
A key is trusted because you have it from elsewhere, so --key, or a policy with a log, must be given.`;

const options = {
  key: { type: 'string' },
  policy: { type: 'string' },
  checkpoint: { type: 'string' },
  consistency: { type: 'string' },
} as const;

/** @throws Fault that names the file */
const reading = <Read>(file: string, read: (text: string) => Read): Read => {
  try {
    return read(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)));
  } catch (error) {
    throw new Fault(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
};
const readingIf = <Read>(file: string | undefined, read: (text: string) => Read): Read | null =>
  file === undefined ? null : reading(file, read);

const EXIT_CODES = { verified: 0, failed: 1, erased: 3 } as const;
const MARKS = { ok: 'ok    ', failed: 'FAILED', skipped: '-     ' } as const;

function main(): number {
  const { values, positionals } = parsed();
  const [file, ...others] = positionals;
  must(file !== undefined && others.length === 0, USAGE);
  const policy = readingIf(values.policy, parsePolicy);
  const logs = [...(policy?.logs ?? []), ...keysOf(values.key)];
  must(logs.length > 0, USAGE);
  const trust: Trust = {
    logs,
    policy,
    older: readingIf(values.checkpoint, String),
    consistency: readingIf<JsonValue>(values.consistency, parseJson),
  };
  const { claim, findings, status } = reading(file, (text) => verifyBundle(parseJson(text), trust));
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, outcome, text } of findings) console.log(`${MARKS[outcome]}  ${check.padEnd(width)}  ${text}`);
  const named = (wanted: keyof typeof MARKS) => findings.filter(({ outcome }) => outcome === wanted);
  const counted = `${named('ok').length} checks hold, ${named('skipped').length} were not made`;
  const conclusions = {
    verified: `VERIFIED  ${claim}: ${counted}`,
    erased: `ERASED  ${claim}: its entry is in the log, what it stated cannot be checked; ${counted}`,
    failed: `NOT VERIFIED  ${claim}: ${[...new Set(named('failed').map(({ check }) => check))].join(', ')}`,
  };
  console.log(conclusions[status]);
  return EXIT_CODES[status];
}

function parsed() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Fault(`${String(error)}\n${USAGE}`);
  }
}

/** A file whose first line is a verifier key, or the key itself. */
function keysOf(key: string | undefined): VerifierKey[] {
  if (key === undefined) return [];
  if (existsSync(key)) return [reading(key, (text) => parseVerifierKey(text.split('\n')[0]?.trim() ?? ''))];
  try {
    return [parseVerifierKey(key)];
  } catch (error) {
    throw new Fault(`--key cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

try {
  process.exitCode = main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(
    error instanceof Fault
      ? error.message.split('\n').map(oneLine).join('\n')
      : `it cannot be read: ${oneLine(error.message)}`,
  );
  process.exitCode = 2;
}

import { parseArgs } from 'node:util';
import { oneLine } from './bytes.ts';
import { readConsistency, verifyBundle, type Trust } from './checks.ts';
import { Fault, must } from './fault.ts';
import { reading, verifierKeyGiven } from './files.ts';
import { isObject, parseJson, type JsonValue } from './json.ts';
import { parseVerifierKey } from './keys.ts';
import { parseCheckpoint } from './note.ts';
import { parsePolicy } from './policy.ts';

// Verifies the bundle of a claim offline, with the published formats alone. Exit code 0: every check that could be made holds;
// 1: one does not; 2: something cannot be read, or the call is wrong; 3: the payload was erased, and everything else holds.

const USAGE = `usage: npm run verify -- <bundle.json> --key <verifier key, or a file with it>
  --policy <file>       a C2SP tlog-policy: its logs are trusted, its quorum of witnesses must have signed
  --checkpoint <file>   a checkpoint of the log that you kept: the log must still hold what it held then
  --consistency <file>  the answer of /v1/log/proofs/consistency between that checkpoint and one of the bundle's,
                        where it is of another size than both
  --help                this
A key is trusted because you have it from elsewhere, so --key, or a policy with a log, must be given.`;

const options = {
  key: { type: 'string' },
  policy: { type: 'string' },
  checkpoint: { type: 'string' },
  consistency: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const readingIf = <Read>(file: string | undefined, read: (text: string) => Read): Read | null =>
  file === undefined ? null : reading(file, read);

const EXIT_CODES = { verified: 0, failed: 1, erased: 3 } as const;
const MARKS = { ok: 'ok    ', failed: 'FAILED', skipped: '-     ', void: 'void  ' } as const;

function main(): number {
  const { values, positionals } = parsed();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [file, ...others] = positionals;
  must(file !== undefined && others.length === 0, USAGE);
  const policy = readingIf(values.policy, parsePolicy);
  const given = values.key === undefined ? [] : [parseVerifierKey(verifierKeyGiven(values.key))];
  const logs = [...(policy?.logs ?? []), ...given];
  must(logs.length > 0, USAGE);
  must(
    values.consistency === undefined || values.checkpoint !== undefined,
    `--consistency is about the checkpoint of --checkpoint, which is missing\n${USAGE}`,
  );
  const trust: Trust = {
    logs,
    policy,
    older: readingIf(values.checkpoint, checkpointIn),
    consistency: readingIf(values.consistency, consistencyIn),
  };
  const { claim, findings, status } = reading(file, (text) => verifyBundle(bundleIn(text), trust));
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, outcome, text } of findings) console.log(`${MARKS[outcome]}  ${check.padEnd(width)}  ${text}`);
  const named = (wanted: keyof typeof MARKS) => findings.filter(({ outcome }) => outcome === wanted);
  const voids = named('void').length === 0 ? '' : `, ${named('void').length} void`;
  const counted = `${named('ok').length} checks hold, ${named('skipped').length} were not made${voids}`;
  const conclusions = {
    verified: `VERIFIED  ${claim}: ${counted}`,
    erased: `ERASED  ${claim}: its entry is in the log, what it stated cannot be checked; ${counted}`,
    failed: `NOT VERIFIED  ${claim}: ${[...new Set(named('failed').map(({ check }) => check))].join(', ')}`,
  };
  // An older checkpoint is given to be held against the bundle: without that nothing is said to be verified.
  if (trust.older !== null && status !== 'failed' && !named('ok').some(({ check }) => check === 'older checkpoint')) {
    console.log(`INCOMPLETE  ${claim}: the older checkpoint needs --consistency`);
    return 2;
  }
  console.log(conclusions[status]);
  return EXIT_CODES[status];
}

/** A signed note. An editor, or a shell that prints a text, leaves empty lines behind it. @throws Fault */
function checkpointIn(text: string): string {
  const note = text.replace(/\n+$/, '\n');
  parseCheckpoint(note);
  return note;
}

/** @throws Fault */
function consistencyIn(text: string): JsonValue {
  const answer = parseJson(text);
  readConsistency(answer);
  return answer;
}

/** @throws Fault */
function bundleIn(text: string): JsonValue {
  const [first = '', ...lines] = text.trim().split('\n');
  try {
    return parseJson(text);
  } catch (error) {
    must(
      !isLineOfExport(first) || lines.length === 0,
      'these are lines of an export; fetch /v1/claims/<id>/bundle for each',
    );
    throw error;
  }
}

function isLineOfExport(line: string): boolean {
  try {
    const claim = parseJson(line);
    return isObject(claim) && Object.hasOwn(claim, 'digest');
  } catch {
    return false;
  }
}

function parsed() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Fault(`${String(error)}\n${USAGE}`);
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

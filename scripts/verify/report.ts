import { readConsistency, verifyBundle, type Finding, type Trust } from './checks.ts';
import { must } from './fault.ts';
import { reading, verifierKeyGiven } from './files.ts';
import { isObject, parseJson, type JsonValue } from './json.ts';
import { parseVerifierKey } from './keys.ts';
import { parseCheckpoint } from './note.ts';
import { parsePolicy } from './policy.ts';

/** The options of a verification, as `verify` of the project and `carnet verify` take them. */
export interface Given {
  /** A verifier key, or a file with it. */
  key?: string | undefined;
  /** Names of files. */
  policy?: string | undefined;
  checkpoint?: string | undefined;
  consistency?: string | undefined;
}

interface Report {
  /** `incomplete`: an older checkpoint was given, and nothing that ties the bundle to it. */
  status: 'verified' | 'erased' | 'failed' | 'incomplete';
  claim: string;
  findings: Finding[];
  /** One line. */
  conclusion: string;
  exitCode: number;
}

const EXIT_CODES = { verified: 0, failed: 1, incomplete: 2, erased: 3 } as const;
const MARKS = { ok: 'ok    ', failed: 'FAILED', skipped: '-     ', void: 'void  ' } as const;

const readingIf = <Read>(file: string | undefined, read: (text: string) => Read): Read | null =>
  file === undefined ? null : reading(file, read);

/**
 * Verifies a bundle in a file, with what is given alone.
 * @param usage what to do where no key is given
 * @throws Fault where something cannot be read, or no log is trusted
 */
export function reportOn(file: string, given: Given, usage: string): Report {
  const policy = readingIf(given.policy, parsePolicy);
  const own = given.key === undefined ? [] : [parseVerifierKey(verifierKeyGiven(given.key))];
  const logs = [...(policy?.logs ?? []), ...own];
  must(logs.length > 0, usage);
  must(
    given.consistency === undefined || given.checkpoint !== undefined,
    `--consistency is about the checkpoint of --checkpoint, which is missing\n${usage}`,
  );
  const trust: Trust = {
    logs,
    policy,
    older: readingIf(given.checkpoint, checkpointIn),
    consistency: readingIf(given.consistency, consistencyIn),
  };
  const { claim, findings, status } = reading(file, (text) => verifyBundle(bundleIn(text), trust));
  const named = (wanted: keyof typeof MARKS) => findings.filter(({ outcome }) => outcome === wanted);
  const voids = named('void').length === 0 ? '' : `, ${named('void').length} void`;
  const counted = `${named('ok').length} checks hold, ${named('skipped').length} were not made${voids}`;
  const conclusions = {
    verified: `VERIFIED  ${claim}: ${counted}`,
    erased: `ERASED  ${claim}: its entry is in the log, what it stated cannot be checked; ${counted}`,
    failed: `NOT VERIFIED  ${claim}: ${[...new Set(named('failed').map(({ check }) => check))].join(', ')}`,
    incomplete: `INCOMPLETE  ${claim}: the older checkpoint needs --consistency`,
  };
  // An older checkpoint is given to be held against the bundle: without that nothing is said to be verified.
  const isHeld = trust.older === null || named('ok').some(({ check }) => check === 'older checkpoint');
  const concluded = isHeld || status === 'failed' ? status : 'incomplete';
  return {
    status: concluded,
    claim,
    findings,
    conclusion: conclusions[concluded],
    exitCode: EXIT_CODES[concluded],
  };
}

/** A line for each finding, and the conclusion. */
export function linesOf({ findings, conclusion }: Report): string[] {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return [
    ...findings.map(({ check, outcome, text }) => `${MARKS[outcome]}  ${check.padEnd(width)}  ${text}`),
    conclusion,
  ];
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

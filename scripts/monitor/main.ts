import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { oneLine } from '../verify/bytes.ts';
import { verifierKeyGiven } from '../verify/files.ts';
import { membersOf, parseJson } from '../verify/json.ts';
import { Forked, NotSigned, Older, Refused, TwoHeads, Unproven, walk, type Fetch, type State } from './monitor.ts';

// Watches a log: each run proves that the newest checkpoint holds everything that the last one held, and remembers it. Exit code 0: it
// does; 1: the log has forked, or shows what its key did not sign; 2: it cannot be reached or read, or the call is wrong; 3: it shows an older tree
// and proves it to be one; 4: nothing shows that two of its trees are of one log, as after it was rolled back.

const USAGE = `usage: npm run monitor -- <url of the service>
  --key <verifier key>  that the log must sign with, or a file with it; without it the first run trusts the key that it finds
  --state <file>        what is remembered between runs (carnet-monitor.json)
  --help                this`;

const options = {
  key: { type: 'string' },
  state: { type: 'string', default: 'carnet-monitor.json' },
  help: { type: 'boolean', default: false },
} as const;

/** A proof has at most 64 hashes, a checkpoint a few witnesses: what is longer, unpacked, is no answer of a log, and is read no further. */
const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 30_000;

const fetching =
  (base: string): Fetch =>
  async (path) => {
    const url = new URL(`${base.replace(/\/$/, '')}${path}`);
    let text: string;
    let status: number;
    try {
      const answer = await fetch(url, {
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: 'error',
        // A checkpoint that a cache has kept would look like a log that lost entries.
        headers: { 'cache-control': 'no-cache' },
      });
      [status, text] = [answer.status, await textOf(answer)];
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      // fetch says `fetch failed`, and why in its cause alone.
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw new Unreachable(`${url.href} does not answer: ${String(cause)}`);
    }
    if (status >= 400 && status < 500) throw new Refused(`${url.href} answers ${status}`);
    if (status !== 200) throw new Unreachable(`${url.href} answers ${status}`);
    return text;
  };

class Unreachable extends Error {}

/** @throws Unreachable where it is longer than any answer of a log */
async function textOf(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of answer.body ?? []) {
    length += part.length;
    if (length > MAX_BYTES) throw new Unreachable(`${answer.url} answers more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** Null where there is no file. One that cannot be read is no empty state: that would trust the next key that it sees. @throws Unreachable */
function readState(file: string): State | null {
  if (!existsSync(file)) return null;
  try {
    const state = membersOf(parseJson(readFileSync(file, 'utf8')), '');
    const checkpoint = state.text('checkpoint');
    // A state of before the newest was looked at has the one to follow alone.
    return { key: state.text('key'), checkpoint, newest: state.has('newest') ? state.text('newest') : checkpoint };
  } catch (error) {
    throw new Unreachable(`${file} cannot be read, and without it a fork would go unseen: ${String(error)}`);
  }
}

/** Whole or not at all: a half-written state would forget what the log has said. */
function writeState(file: string, state: State): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { flush: true });
  renameSync(`${file}.new`, file);
}

async function main(): Promise<number> {
  const { values, positionals } = parsed();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [base, ...others] = positionals;
  if (base === undefined || others.length > 0 || !URL.canParse(base)) throw new Unreachable(USAGE);
  const key = values.key === undefined ? null : keyGiven(values.key);
  const { state, text } = await walk(fetching(base), readState(values.state), key);
  writeState(values.state, state);
  console.log(oneLine(text));
  return 0;
}

/** @throws Unreachable */
function keyGiven(given: string): string {
  try {
    return verifierKeyGiven(given);
  } catch (error) {
    throw new Unreachable(error instanceof Error ? error.message : String(error));
  }
}

function parsed() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Unreachable(`${String(error)}\n${USAGE}`);
  }
}

function codeOf(error: Error): number {
  if (error instanceof Forked || error instanceof NotSigned) return 1;
  if (error instanceof Older) return 3;
  return error instanceof Unproven ? 4 : 2;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(error.message.split('\n').map(oneLine).join('\n'));
  if (error instanceof TwoHeads) {
    console.error('The state stays as it was. Keep these two notes, which the log has signed:');
    for (const note of error.notes) console.error(note.split('\n').map(oneLine).join('\n'));
    if (error instanceof Forked && error.proof !== null) {
      const { from, to, hashes } = error.proof;
      console.error(
        `By its consistency proof from ${from} to ${to} the larger tree begins with another one than the smaller note says:`,
      );
      for (const hash of hashes) console.error(hash);
    }
  }
  process.exitCode = codeOf(error);
}

import { parseArgs } from 'node:util';
import { oneLine } from './bytes.ts';
import { Fault, must } from './fault.ts';
import { linesOf, reportOn } from './report.ts';

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

function main(): number {
  const { values, positionals } = parsed();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [file, ...others] = positionals;
  must(file !== undefined && others.length === 0, USAGE);
  const report = reportOn(file, values, USAGE);
  for (const line of linesOf(report)) console.log(line);
  return report.exitCode;
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

#!/usr/bin/env node
import { run } from './run.ts';

// Nobody reads on, as behind `| head`.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  write: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  input: process.stdin,
});

// Runs JavaScript of strangers in QuickJS, one job after the other, each in a runtime and a WebAssembly memory of its own.
import { readFileSync } from 'node:fs';
import { leaveRoot, receiveJob, reportReady } from './channel.mjs';

const [library, user] = process.argv.slice(2);
const { QuickJS, JSException, MAX_STACK_SIZE } = await import(new URL('dist/index.js', library).href);
const wasm = await WebAssembly.compile(readFileSync(new URL('quickjs.wasm', library)));

/** QuickJS's own limit stands below that of the process, so that a script can be given its line. */
const MAX_MEMORY = 48 * 1024 * 1024;
const MAX_OUTPUT = 1024 * 1024;
/** Shown in no stack: lines of this file. */
const OURS = 'carnet';

// Runs before the script and keeps the functions as they are, no matter what the script makes of them. `answer` is reachable from no script.
const PRELUDE = `'use strict'; (print) => {
  const { parse, stringify } = JSON, string = String, ErrorClass = Error, ArrayClass = Array;
  const shown = (value) => {
    if (typeof value === 'string') return value;
    if (typeof value !== 'object' || value === null) return string(value);
    if (value instanceof ErrorClass) return described(value);
    try { return stringify(value) ?? string(value); } catch { return '[object]'; }
  };
  const described = (error) => {
    if (!(error instanceof ErrorClass)) return typeof error === 'object' && error !== null ? 'an object was thrown: ' + shown(error) : string(error);
    return string(error.name) + ': ' + string(error.message) + '\\n' + string(error.stack);
  };
  const log = (...values) => {
    let line = '';
    for (let at = 0; at < values.length; at += 1) line += (at === 0 ? '' : ' ') + shown(values[at]);
    print(line + '\\n');
  };
  globalThis.console = { log, info: log, debug: log, warn: log, error: log };
  return async (main, input, answer) => {
    let value;
    try { value = await main(parse(input)); } catch (error) { answer('threw', described(error)); return; }
    if (typeof value !== 'object' || value === null || ArrayClass.isArray(value)) { answer('no object'); return; }
    let text;
    try { text = stringify(value); } catch (error) { answer('no json', described(error)); return; }
    if (typeof text === 'string') answer('output', text); else answer('no object');
  };
}`;

const withoutOurLines = (text) =>
  text
    .split('\n')
    .filter((line) => !line.includes(`(${OURS}:`))
    .join('\n');

const isMemory = (text) => text.startsWith('InternalError: out of memory');

const judge = (job, { kind, text }) => {
  if (isMemory(text)) return job.failed('SCRIPT_MEMORY_LIMIT', text);
  switch (kind) {
    case 'output':
      return job.returned(text);
    case 'too large':
      return job.failed('SCRIPT_OUTPUT_TOO_LARGE');
    case 'no object':
      return job.failed('SCRIPT_OUTPUT_INVALID', 'main returned no object');
    case 'no json':
      return job.failed('SCRIPT_OUTPUT_INVALID', withoutOurLines(text));
    default:
      return job.failed('SCRIPT_FAILED', withoutOurLines(text));
  }
};

const evaluate = (vm, job) => {
  let answered = { kind: 'threw', text: 'main waits for something that never comes' };
  // The host's functions throw nothing: an error of the host would show the script where this file lies.
  const print = vm.newFunction('print', (line) => {
    if (!job.isFull()) job.print(line.toString());
    return vm.undefined;
  });
  const answer = vm.newFunction('answer', (kind, text) => {
    const tooLarge = text !== undefined && text.length > MAX_OUTPUT;
    answered = { kind: tooLarge ? 'too large' : kind.toString(), text: tooLarge ? '' : (text?.toString() ?? '') };
    return vm.undefined;
  });
  const perform = vm.callFunction(vm.evalCode(PRELUDE, OURS), vm.undefined, print);
  vm.evalCode(job.script, 'script.js');
  const main = vm.evalCode(`typeof main === 'function' ? main : undefined`, OURS);
  if (main.isUndefined) return { kind: 'threw', text: 'the script has no function main(input)' };
  vm.callFunction(perform, vm.undefined, main, vm.newString(job.input), answer);
  vm.executePendingJobs();
  return answered;
};

const perform = async (job) => {
  const deadline = performance.now() + job.wallMs;
  const before = process.cpuUsage();
  const usedMs = () => {
    const used = process.cpuUsage(before);
    return (used.user + used.system) / 1000;
  };
  const isOver = () => performance.now() >= deadline || usedMs() >= job.cpuMs;
  const vm = await QuickJS.create({
    wasm,
    memoryLimit: MAX_MEMORY,
    maxStackSize: MAX_STACK_SIZE,
    interruptHandler: isOver,
    timezoneOffset: 0,
    // The library writes its own messages to the standard output, which is the channel.
    wasi: () => ({ fd_write: () => 8 }),
  });
  let answered;
  try {
    answered = evaluate(vm, job);
  } catch (error) {
    // Only QuickJS's own exceptions are the script's. Any other leaves a runtime that nobody can judge, and takes the process with it.
    const isOfJob = error.message.startsWith('Job execution error: ');
    if (!(error instanceof JSException) && !isOfJob) throw error;
    answered = { kind: 'threw', text: isOfJob ? error.message : `${error.name}: ${error.message}\n${error.stack}` };
  }
  if (isOver()) job.failed('SCRIPT_TIME_LIMIT', withoutOurLines(answered.text));
  else judge(job, answered);
  vm.dispose();
};

// A first run, so that none of a stranger waits for functions to be compiled.
const nothing = () => {};
await perform({
  script: 'function main(input) { console.log(input); return {}; }',
  input: '{}',
  wallMs: 1_000,
  cpuMs: 1_000,
  isFull: () => true,
  print: nothing,
  returned: nothing,
  failed: nothing,
});
leaveRoot(Number(user));
reportReady();
for (let job = receiveJob(); job; job = receiveJob()) await perform(job);

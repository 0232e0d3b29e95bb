// Runs one Python script of a stranger in Pyodide, and ends.
import { constants, readFileSync } from 'node:fs';
import { leaveRoot, receiveJob, reportReady } from './channel.mjs';

const [library, user] = process.argv.slice(2);

// Pyodide asks for the numbers of open modes and nothing else, and Node's permissions refuse the whole call.
process.binding = (name) => {
  if (name !== 'constants') throw new TypeError(`process.binding('${name}') is not there.`);
  return { fs: constants };
};

/** Python's own limit stands below that of the process, so that a script gets a MemoryError with its line. */
const MAX_GROWTH_BYTES = 48 * 1024 * 1024;
const PAGE_BYTES = 64 * 1024;
const { grow } = WebAssembly.Memory.prototype;
let maxBytes = Number.POSITIVE_INFINITY;
WebAssembly.Memory.prototype.grow = function growWithin(pages) {
  if (this.buffer.byteLength + pages * PAGE_BYTES > maxBytes) throw new RangeError('The script has no more memory.');
  return grow.call(this, pages);
};

const { loadPyodide } = await import(new URL('pyodide.mjs', library).href);
const nothing = () => {};
const pyodide = await loadPyodide({
  // Python's `js` leads here instead of to this process.
  jsglobals: Object.create(null),
  enableRunUntilComplete: false,
  env: { HOME: '/tmp' },
  stdout: nothing,
  stderr: nothing,
  stdin: () => null,
});
// In two steps: the first one is run by modules that the second one empties.
const prepare = pyodide.runPython(readFileSync(new URL('prelude.py', import.meta.url), 'utf8'));
const run = prepare();
leaveRoot(Number(user));

// Python has all that it needs. What an escaped script could look for is removed: it would find a process without rights anyway.
for (const name of [
  'process',
  'global',
  'require',
  'fetch',
  'navigator',
  'WebSocket',
  'EventSource',
  'BroadcastChannel',
])
  Reflect.deleteProperty(globalThis, name);
const nobody = () => 0;
globalThis.process = Object.freeze({ getuid: nobody, geteuid: nobody, getgid: nobody, getegid: nobody });

reportReady();
const job = receiveJob();
if (job) {
  // oxlint-disable-next-line no-underscore-dangle -- Pyodide's own name for the only view of its memory
  maxBytes = pyodide._module.HEAP8.length + MAX_GROWTH_BYTES;
  const decoder = new TextDecoder();
  const write = (bytes) => {
    if (!job.isFull()) job.print(decoder.decode(bytes, { stream: true }));
    return bytes.length;
  };
  pyodide.setStdout({ write });
  pyodide.setStderr({ write });
  const answer = run(job.script, job.input);
  const end = answer.indexOf('\n');
  const [kind, text] = [answer.slice(0, end), answer.slice(end + 1)];
  if (kind === 'output') job.returned(text);
  else job.failed(kind, text);
}

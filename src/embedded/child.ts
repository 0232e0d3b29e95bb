import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';

export interface ChildOptions {
  command: string;
  args: string[];
  /** Receives what the child prints; created with mode 0600. */
  logFile: string;
  /** The signal by which the child stops regularly. */
  stopSignal: 'INT' | 'TERM';
  /** Receives the child's process id, for a later start that finds it still running. */
  pidFile?: string;
  /** Runs at a lower priority, so that processes that answer callers come first. */
  background?: boolean;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
}

export interface Child {
  /** Resolves with the exit code when the child has ended; 128 and more stand for a signal. */
  exited: Promise<number>;
  /** Sends the stop signal, after four seconds SIGKILL, and resolves when the child has ended. */
  stop(): Promise<void>;
  /** The text that the child has printed since it was started. */
  output(): string;
}

/**
 * The wrapper leads a session of its own and reads from a pipe whose write end this process has. The pipe ends when this
 * process closes it or dies, even by SIGKILL; then the wrapper stops the child, so no child outlives its parent. SIGKILL
 * follows after four seconds, so that all is over within five.
 *
 * On Linux with autogroups a session is a scheduling group of its own, and niceness counts within the group alone; so
 * the niceness of the group is set (an unprivileged process may do that ten times a second, so it is tried a second time).
 */
const WRAPPER = `
stop_signal=$1 nice=$2 pid_file=$3
shift 3
umask 077
if [ "$nice" -gt 0 ] && [ -w /proc/self/autogroup ]; then
  { echo "$nice" >/proc/self/autogroup || { sleep 0.2; echo "$nice" >/proc/self/autogroup; }; } 2>/dev/null
fi
nice -n "$nice" "$@" 3<&- &
child=$!
[ -z "$pid_file" ] || echo "$child" >"$pid_file"
{
  read -r _ <&3
  kill -s "$stop_signal" "$child"
  tries=40
  while [ "$tries" -gt 0 ] && kill -0 "$child"; do sleep 0.1; tries=$((tries - 1)); done
  kill -s KILL "$child"
} 2>/dev/null >&2 &
watcher=$!
exec 3<&-
wait "$child"
code=$?
kill "$watcher" 2>/dev/null
wait "$watcher"
exit "$code"
`;

/** Measured beside a saturated Temporal server: with this niceness callers kept 0.7 of their speed instead of 0.4. */
export const BACKGROUND_NICENESS = 15;

/** A larger log is renamed at the next start; one older log is kept. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function openLog(file: string): { descriptor: number; from: number } {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (sizeOf(file) > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
  return { from: sizeOf(file), descriptor: openSync(file, 'a', 0o600) };
}

/** Starts a child that cannot outlive this process. */
export function startChild(options: ChildOptions): Child {
  const log = openLog(options.logFile);
  const niceness = String(options.background ? BACKGROUND_NICENESS : 0);
  const child = spawn(
    'sh',
    ['-c', WRAPPER, 'carnet', options.stopSignal, niceness, options.pidFile ?? '', options.command, ...options.args],
    {
      cwd: '/',
      detached: true,
      env: options.env ?? process.env,
      stdio: ['ignore', log.descriptor, log.descriptor, 'pipe'],
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    },
  );
  closeSync(log.descriptor);
  const lifeline = child.stdio[3] as Writable;
  // The wrapper may end before the pipe is closed; its exit code is all that matters then.
  lifeline.on('error', () => undefined);
  const exited = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (code) => resolve(code ?? 137));
  });
  return {
    exited,
    stop: async () => {
      lifeline.destroy();
      await exited;
    },
    output: () => readFileSync(options.logFile).subarray(log.from).toString('utf8'),
  };
}

/** Runs a child to its end; after `timeoutMs` it is stopped. */
export async function runChild(
  options: ChildOptions,
  timeoutMs: number,
): Promise<{ succeeded: boolean; output: string }> {
  const child = startChild(options);
  const timer = setTimeout(() => void child.stop(), timeoutMs);
  const code = await child.exited;
  clearTimeout(timer);
  return { succeeded: code === 0, output: child.output() };
}

/** Some tools print a page in one line; the log has all of it. */
const MAX_ERROR_LENGTH = 200;

/** The last line of a failed child's output that names an error, else the last line, without time stamp and class. */
export function lastErrorLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const line = lines.findLast((one) => /\b(fatal|panic|error)\b/i.test(one)) ?? lines.at(-1) ?? 'it printed nothing';
  return line.replace(/^[\d-]+ [\d:.]+ UTC \[\d+\] |^\[?\w*Error: /, '').slice(0, MAX_ERROR_LENGTH);
}

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';

export interface ChildOptions {
  command: string;
  args: string[];
  /** Takes what the child prints; made with mode 0600. */
  logFile: string;
  /** The signal that asks the child to end. */
  stopSignal: 'INT' | 'TERM';
  /** Where the child's own process id is written, for a later start that finds it still running. */
  pidFile?: string;
  /** Yields the processor to whoever answers callers. */
  background?: boolean;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
}

export interface Child {
  /** Resolves with the exit code when the child is gone; 128 and more stand for a signal. */
  exited: Promise<number>;
  /** Asks the child to end, insists after four seconds, and resolves when it is gone. */
  stop(): Promise<void>;
  /** What the child has printed since it was started. */
  output(): string;
}

/**
 * The wrapper leads a session of its own and holds the read end of a pipe whose write end is ours. It reads the end of
 * that pipe when we close it or die, however we die, and then ends the child: kill -9 leaves nobody behind. Four
 * seconds until it insists keep the whole within five.
 *
 * A session has a scheduling group of its own on Linux, so niceness within it does nothing for others where autogroups
 * are on; the group's own niceness does (an unprivileged process may change it ten times a second, hence the retry).
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

/** Callers kept 0.7 instead of 0.4 of their speed beside a saturated Temporal server at this niceness. */
const BACKGROUND_NICENESS = 15;

/** A log beyond this is set aside at the next start of its part; one older log is kept. */
const LOG_BYTES = 10 * 1024 * 1024;

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const openLog = (file: string): { descriptor: number; from: number } => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (sizeOf(file) > LOG_BYTES) renameSync(file, `${file}.1`);
  return { from: sizeOf(file), descriptor: openSync(file, 'a', 0o600) };
};

/** Starts a child that cannot outlive this process. */
export const startChild = (options: ChildOptions): Child => {
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
  // The wrapper may be gone before the pipe is closed; its exit code says all there is to say.
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
};

/** Runs a child to its end, for `timeoutMs` at most, after which it is ended. */
export const runChild = async (
  options: ChildOptions,
  timeoutMs: number,
): Promise<{ succeeded: boolean; output: string }> => {
  const child = startChild(options);
  const timer = setTimeout(() => void child.stop(), timeoutMs);
  const code = await child.exited;
  clearTimeout(timer);
  return { succeeded: code === 0, output: child.output() };
};

/** Some tools say in one line what fills a page; the log has it whole. */
const COMPLAINT_LENGTH = 200;

/** What a failed child had to say: the last line that names an error, else the last, without time stamp and class. */
export const complaintIn = (output: string): string => {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const line = lines.findLast((one) => /\b(fatal|panic|error)\b/i.test(one)) ?? lines.at(-1) ?? 'it said nothing';
  return line.replace(/^[\d-]+ [\d:.]+ UTC \[\d+\] |^\[?\w*Error: /, '').slice(0, COMPLAINT_LENGTH);
};

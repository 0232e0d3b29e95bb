import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { MAX_CONSOLE_BYTES, newNonce, NO_NONCE, FrameReader, type Frame } from './frames.ts';
import { launch, userOf, type Walls } from './walls.ts';
import { cpuMsOf, nodeUnder, usageOf } from './usage.ts';
import { Meter } from './meter.ts';

/** How a runtime is started. */
export interface Program {
  /** Arguments of Node: its flags, its module, the folder of its library. The user id is added. */
  nodeArguments: readonly string[];
  /** Whether a run is charged for the start of its process, which then serves no other. */
  startIsCharged: boolean;
}

/** Bounds of a run, seen from outside. */
export interface RunLimits {
  /** Milliseconds by the clock. */
  wallMs: number;
  /** Milliseconds of processor time, over all threads of the process. */
  cpuMs: number;
  /** Bytes of resident memory above what the process had when the run began. */
  memoryBytes: number;
}

/**
 * How a run of a child ended. `console` is what it printed; `cpuMs` what it used of a processor, as the kernel counts it. Where the system
 * does not show that, it is time by the clock.
 */
export type Ending = { console: string; cpuMs: number } & (
  | { how: 'returned'; output: Buffer }
  | { how: 'failed'; code: string }
  | { how: 'wall limit' | 'processor limit' | 'memory limit' }
  /** It sent what no child sends. */
  | { how: 'foreign' }
  | { how: 'died'; signal: NodeJS.Signals | null }
  | { how: 'aborted' }
);

/** `unshare` cannot pass SIGKILL on, and ends by this code; a child never does. */
const UNSHARE_FAILED = 1;
/** Added to the number of the signal by which a program ended, in the code of the shell that launched it. */
const KILLED = 128;

/** A new process is ready in 0.1 s, with Python in 2; a machine under load needs longer. */
const MAX_START_MS = 60_000;
/** Between two looks at the memory and the processor time of a process. */
const LOOK_MS = 25;
/** For which the process may answer by itself that its time is over: it knows the line, and what is not killed has printed all. */
const GRACE_MS = 250;
/** For which a process that is to end has time, until the program that launched it is killed as well. */
const MAX_END_MS = 1_000;

/** One process that runs scripts, one after the other. Once a run has ended in any way but an answer, the process is gone. */
export class Child {
  readonly #process: ChildProcess;
  readonly #reader = new FrameReader();
  /** The process id of the Node; undefined where the system does not show it. */
  #node: number | undefined;
  /** Milliseconds of processor time that its start took, where runs are charged for it. */
  #startMs = 0;
  #nonce: Buffer = NO_NONCE;
  #receive: (frame: Frame) => void = () => this.end();
  #foreign: () => void = () => {};
  #died: (signal: NodeJS.Signals | null) => void = () => {};
  #gone = false;
  #isEnding = false;
  /** Runs that it has answered. */
  runs = 0;
  /** The owner, set by the first run: nobody else's run may follow. */
  sharer: string | undefined;

  private constructor({ nodeArguments }: Program, walls: Walls, user: number) {
    const node = [process.execPath, ...nodeArguments, String(user)];
    this.#process = spawn('/bin/sh', launch(walls, node), {
      cwd: '/',
      env: {},
      detached: true,
      // The words of Node itself when it breaks may show a part of a script: nobody reads it.
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    });
    // A pipe of a process that is gone: its end is an event of its own.
    for (const pipe of this.#process.stdio) pipe?.on('error', () => {});
    this.#process.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#process.once('error', () => this.#end(null));
    // Its last frame may still be in the pipe.
    this.#process.once('exit', (code, signal) => {
      const { stdout } = this.#process;
      const by = code === UNSHARE_FAILED && walls.namespaces ? 'SIGKILL' : (signal ?? signalOf(code));
      if (stdout === null || stdout.closed || stdout.destroyed) this.#end(by);
      else stdout.once('close', () => this.#end(by));
    });
  }

  /**
   * @param n from which its user id follows
   * @param signal ends the start
   * @returns undefined where no process came to be ready
   */
  static async start(
    program: Program,
    walls: Walls,
    { n, signal }: { n: number; signal: AbortSignal },
  ): Promise<Child | undefined> {
    if (signal.aborted) return undefined;
    const child = new Child(program, walls, userOf(walls, n));
    const isReady = await new Promise<boolean>((resolve) => {
      const settle = (ready: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        resolve(ready);
      };
      const giveUp = (): void => settle(false);
      const timer = setTimeout(giveUp, MAX_START_MS);
      signal.addEventListener('abort', giveUp);
      child.#receive = ({ kind }) => settle(kind === 'ready');
      child.#foreign = giveUp;
      child.#died = giveUp;
    });
    child.#idle();
    if (!isReady) {
      child.end();
      return undefined;
    }
    child.#node = child.pid === undefined ? undefined : nodeUnder(child.pid, walls.namespaces);
    if (program.startIsCharged && child.#node !== undefined) child.#startMs = cpuMsOf(child.#node) ?? 0;
    return child;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** Process id of the one that was spawned, which leads the group. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Resident memory in bytes; undefined where the system does not show it. */
  get residentBytes(): number | undefined {
    return this.#node === undefined ? undefined : usageOf(this.#node)?.residentBytes;
  }

  /** One run at a time. Ends the process, and all it has started, unless it answered. */
  async run(job: { script: string; input: string }, limits: RunLimits, signal?: AbortSignal): Promise<Ending> {
    const meter = new Meter(this.#node);
    const printed: Buffer[] = [];
    let bytes = 0;
    const timers: NodeJS.Timeout[] = [];
    let onAbort = (): void => {};
    const ended = await new Promise<DistributiveOmit<Ending, 'console' | 'cpuMs'>>((resolve) => {
      onAbort = () => resolve({ how: 'aborted' });
      this.#died = (by) => resolve({ how: 'died', signal: by });
      this.#foreign = () => resolve({ how: 'foreign' });
      this.#receive = ({ kind, payload }) => {
        switch (kind) {
          case 'ready':
            return resolve({ how: 'foreign' });
          case 'console':
            bytes += payload.length;
            printed.push(payload);
            return bytes > MAX_CONSOLE_BYTES + SLACK_BYTES ? resolve({ how: 'foreign' }) : undefined;
          case 'output':
            return resolve({ how: 'returned', output: payload });
          case 'fault':
            return resolve({ how: 'failed', code: payload.toString('latin1') });
        }
      };
      if (this.#gone) {
        resolve({ how: 'died', signal: 'SIGKILL' });
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      timers.push(
        setTimeout(() => resolve({ how: 'wall limit' }), limits.wallMs + GRACE_MS),
        this.#watch(limits, (how) => resolve({ how }), meter),
      );
      this.#send(job, limits);
    });
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    this.#idle();
    const cpuMs = this.#startMs + meter.spentMs();
    if (ended.how === 'returned' || ended.how === 'failed') this.runs += 1;
    else this.end();
    const text = Buffer.concat(printed).subarray(0, MAX_CONSOLE_BYTES).toString();
    return { ...ended, console: text, cpuMs };
  }

  /** Has the process killed, and all that it has started. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#gone = true;
    // The watcher of the last of these pipes kills the process, and the program that launched it waits for what is left.
    for (const pipe of this.#process.stdio) pipe?.destroy();
    const { pid } = this.#process;
    if (pid === undefined || this.#hasExited) return;
    const timer = setTimeout(() => this.#killGroup(pid), MAX_END_MS);
    timer.unref();
    this.#process.once('exit', () => clearTimeout(timer));
  }

  get #hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  #killGroup(leader: number): void {
    if (this.#hasExited) return;
    try {
      process.kill(-leader, 'SIGKILL');
    } catch {
      // It ended since.
    }
  }

  #send({ script, input }: { script: string; input: string }, { wallMs, cpuMs }: RunLimits): void {
    this.#nonce = newNonce();
    const job = Buffer.from(JSON.stringify({ nonce: this.#nonce.toString('hex'), script, input, wallMs, cpuMs }));
    const head = Buffer.alloc(4);
    head.writeUInt32LE(job.length);
    this.#process.stdin?.write(Buffer.concat([head, job]));
  }

  /** Between two runs nothing comes. */
  #idle(): void {
    this.#receive = () => this.end();
    this.#foreign = () => {};
    this.#died = () => {};
  }

  #watch(
    { cpuMs, memoryBytes }: RunLimits,
    over: (how: 'processor limit' | 'memory limit') => void,
    meter: Meter,
  ): NodeJS.Timeout {
    return setInterval(() => {
      const seen = meter.look();
      if (seen === undefined) return;
      if (seen.grownBytes > memoryBytes) over('memory limit');
      else if (seen.cpuMs > cpuMs + GRACE_MS) over('processor limit');
    }, LOOK_MS);
  }

  #read(chunk: Buffer): void {
    if (this.#gone) return;
    try {
      for (const frame of this.#reader.read(chunk, this.#nonce)) this.#receive(frame);
    } catch {
      this.#foreign();
      this.end();
    }
  }

  #end(signal: NodeJS.Signals | null): void {
    this.#died(signal);
    this.end();
  }
}

/** The notes that something was cut off come on top of what a child counts. */
const SLACK_BYTES = 256;

/** The signal by which the program ended, where its launcher's code names one. */
function signalOf(code: number | null): NodeJS.Signals | null {
  const names = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  return names.find(([, number]) => code === KILLED + number)?.[0] ?? null;
}

type DistributiveOmit<Type, Key extends PropertyKey> = Type extends unknown ? Omit<Type, Key> : never;

import { spawn, type ChildProcess } from 'node:child_process';
import { MOST_CONSOLE_BYTES, newNonce, NO_NONCE, FrameReader, type Frame } from './frames.ts';
import { launch, userOf, type Walls } from './walls.ts';
import { usageOf } from './usage.ts';

/** How a runtime is started. */
export interface Program {
  /** Arguments of Node: its flags, its module, the folder of its library. The user id is added. */
  nodeArguments: readonly string[];
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

/** How a run of a child ended. `console` is what it printed; `ms` is by the clock. */
export type Ending = { console: string; ms: number } & (
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

/** A new process is ready in 0.1 s, with Python in 2; a machine under load needs longer. */
const START_LIMIT_MS = 60_000;
/** Between two looks at the memory and the processor time of a process. */
const LOOK_MS = 25;
/** For which the process may answer by itself that its time is over: it knows the line, and what is not killed has printed all. */
const GRACE_MS = 250;

/** One process that runs scripts, one after the other. Once a run has ended in any way but an answer, the process is gone. */
export class Child {
  readonly #process: ChildProcess;
  readonly #reader = new FrameReader();
  readonly #namespaced: boolean;
  #nonce: Buffer = NO_NONCE;
  #receive: (frame: Frame) => void = () => this.end();
  #foreign: () => void = () => {};
  #died: (signal: NodeJS.Signals | null) => void = () => {};
  #gone = false;
  /** Runs that it has answered. */
  runs = 0;

  private constructor({ nodeArguments }: Program, walls: Walls, user: number) {
    this.#namespaced = walls.namespaces;
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
      const by = code === UNSHARE_FAILED && walls.namespaces ? 'SIGKILL' : signal;
      if (stdout === null || stdout.closed || stdout.destroyed) this.#end(by);
      else stdout.once('close', () => this.#end(by));
    });
  }

  /** @returns undefined where no process came to be ready */
  static async start(program: Program, walls: Walls, n: number): Promise<Child | undefined> {
    const child = new Child(program, walls, userOf(walls, n));
    const isReady = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), START_LIMIT_MS);
      const settle = (ready: boolean): void => {
        clearTimeout(timer);
        resolve(ready);
      };
      child.#receive = ({ kind }) => settle(kind === 'ready');
      child.#foreign = () => settle(false);
      child.#died = () => settle(false);
    });
    if (!isReady) child.end();
    child.#idle();
    return isReady ? child : undefined;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** Process ids: of the one that was spawned, which leads the group. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Resident memory in bytes; undefined where the system does not show it. */
  get residentBytes(): number | undefined {
    return this.#process.pid === undefined ? undefined : usageOf(this.#process.pid, this.#namespaced)?.residentBytes;
  }

  /** One run at a time. Ends the process, and all it has started, unless it answered. */
  async run(job: { script: string; input: string }, limits: RunLimits, signal?: AbortSignal): Promise<Ending> {
    const began = performance.now();
    const printed: Buffer[] = [];
    let bytes = 0;
    const timers: NodeJS.Timeout[] = [];
    let onAbort = (): void => {};
    const ended = await new Promise<DistributiveOmit<Ending, 'console' | 'ms'>>((resolve) => {
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
            return bytes > MOST_CONSOLE_BYTES + SLACK_BYTES ? resolve({ how: 'foreign' }) : undefined;
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
        this.#watch(limits, (how) => resolve({ how })),
      );
      this.#send(job, limits);
    });
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    this.#idle();
    if (ended.how === 'returned' || ended.how === 'failed') this.runs += 1;
    else this.end();
    const text = Buffer.concat(printed).subarray(0, MOST_CONSOLE_BYTES).toString();
    return { ...ended, console: text, ms: performance.now() - began };
  }

  /** Kills the process and its group, at once. */
  end(): void {
    this.#gone = true;
    // The watcher of this pipe kills whoever is left, also where the group has no leader any more.
    for (const pipe of this.#process.stdio) pipe?.destroy();
    if (this.#process.pid === undefined || this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    try {
      process.kill(-this.#process.pid, 'SIGKILL');
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

  #watch({ cpuMs, memoryBytes }: RunLimits, over: (how: 'processor limit' | 'memory limit') => void): NodeJS.Timeout {
    const { pid } = this.#process;
    const look = (): ReturnType<typeof usageOf> => (pid === undefined ? undefined : usageOf(pid, this.#namespaced));
    const before = look();
    return setInterval(() => {
      const now = look();
      if (before === undefined || now === undefined) return;
      if (now.residentBytes - before.residentBytes > memoryBytes) over('memory limit');
      else if (now.cpuMs - before.cpuMs > cpuMs + GRACE_MS) over('processor limit');
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

type DistributiveOmit<Type, Key extends PropertyKey> = Type extends unknown ? Omit<Type, Key> : never;

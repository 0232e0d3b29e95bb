import type { ContentReader } from '../../context/ports.ts';
import type { JsonValue } from '../../json/value.ts';
import { Thread, type Death, type JobLimits } from '../../threads/thread.ts';
import { Turns } from '../../turns/turns.ts';
import { ScanFailed, ScanLater, ScanTooSlow, UnreadableBody } from './errors.ts';
import type { Answer, Job } from './messages.ts';
import type { ScanInput } from './reading/body.ts';
import type { Place, Verdict } from './verdict.ts';

export interface ScanLimits extends JobLimits {
  /** For waiting for a thread, in milliseconds. */
  waitMs: number;
  /** Bodies that wait or are scanned, together, in bytes. */
  bytesInFlight: number;
  /** Scans of one operator that wait or are under way. */
  scansOfCaller: number;
  /** Memory of one thread, in MiB; a scan of 10 MiB needs 100 to 200 of it. */
  heapMb: number;
}

/** The step of a life that scans has twelve seconds, for the wait and the scan together. */
export const standardLimits: ScanLimits = {
  jobMs: 2_000,
  clockMs: 6_000,
  waitMs: 5_000,
  bytesInFlight: 67_108_864,
  // A worker takes eight steps in parallel; four are left to other operators while scans of one are slow.
  scansOfCaller: 4,
  heapMb: 512,
};

/** Each throws UnreadableBody and ScanFailed, which is ScanTooSlow where the processor time of `jobMs` was used up. `caller` is the operator; operators take turns. */
export interface Scanner {
  /** @throws ScanLater too */
  scan(input: ScanInput, caller: string): Promise<Verdict>;
  /** Returns what may be forwarded: the parsed body, or the mail as an object; of attachments name, size, SHA-256 and type alone. It asks no detector. */
  read(input: ScanInput, caller: string): Promise<JsonValue>;
  /** Returns what was scanned, for a model: all of it up to 8,000 characters, else what stands around the findings of its scan. It asks no detector. */
  excerpt(input: ScanInput, findings: readonly Place[], caller: string): Promise<string>;
  /** Ends the threads; scans that run or wait fail. */
  close(): Promise<void>;
}

interface Pending {
  job: Job;
  caller: string;
  /** Ends the wait for a thread. */
  timer: NodeJS.Timeout | undefined;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

interface Slot {
  thread: Thread<Pending, Job, Answer> | undefined;
}

/** Two threads start when there is work, and never keep the process alive. */
export function createScanner(limits: ScanLimits = standardLimits): Scanner & ContentReader {
  const pool = new Pool(limits);
  return {
    scan: async (input, caller) => {
      const answer = await pool.scan({ input, wanted: 'verdict' }, caller);
      return 'verdict' in answer ? answer.verdict : refuse(answer);
    },
    read: async (input, caller) => {
      const answer = await pool.run({ input, wanted: 'payload' }, caller);
      return 'payload' in answer ? answer.payload : refuse(answer);
    },
    excerpt: async (input, findings, caller) => {
      const answer = await pool.run({ input, wanted: 'excerpt', findings }, caller);
      return 'excerpt' in answer ? answer.excerpt : refuse(answer);
    },
    passages: async (input, findings, caller) => {
      const answer = await pool.run({ input, wanted: 'passages', findings }, caller);
      return 'passages' in answer ? answer.passages : refuse(answer);
    },
    close: () => pool.close(),
  };
}

function refuse(answer: Answer): never {
  if ('unreadable' in answer) throw new UnreadableBody(answer.unreadable);
  throw new ScanFailed(`A detector failed: ${'failed' in answer ? answer.failed : 'another answer than was wanted'}`);
}

/** Each thread has one scan at a time, so what one message needs never stops another in the middle. */
class Pool {
  readonly #slots: readonly Slot[] = [{ thread: undefined }, { thread: undefined }];
  readonly #waiting = new Turns<Pending>();
  readonly #limits: ScanLimits;
  /** How many scans of each caller wait or are under way. */
  readonly #scans = new Map<string, number>();
  #bytes = 0;
  #closed = false;

  constructor(limits: ScanLimits) {
    this.#limits = limits;
  }

  /** The jobs of a caller beyond its share come again later, so that it does not hold the steps of the worker while it waits. */
  async scan(wanted: Job, caller: string): Promise<Answer> {
    const before = this.#scans.get(caller) ?? 0;
    if (before >= this.#limits.scansOfCaller) throw new ScanLater('The operator has as many scans as one may have.');
    this.#scans.set(caller, before + 1);
    try {
      return await this.run(wanted, caller);
    } finally {
      const left = (this.#scans.get(caller) ?? 1) - 1;
      if (left === 0) this.#scans.delete(caller);
      else this.#scans.set(caller, left);
    }
  }

  async run(wanted: Job, caller: string): Promise<Answer> {
    if (this.#closed) throw stopping();
    const { input } = wanted;
    const { length } = input.body;
    if (this.#bytes + length > this.#limits.bytesInFlight)
      throw new ScanFailed('Too much waits to be scanned; send it again in a moment.');
    this.#bytes += length;
    try {
      return await new Promise((resolve, reject) => {
        // A view into a larger buffer would be sent with all of it.
        const job = { ...wanted, input: { ...input, body: new Uint8Array(input.body) } };
        const pending: Pending = { job, caller, timer: undefined, resolve, reject };
        pending.timer = setTimeout(() => {
          this.#waiting.remove(pending);
          reject(new ScanFailed('The scan could not begin in time; send it again in a moment.'));
        }, this.#limits.waitMs);
        this.#waiting.push(pending);
        this.#dispatch();
      });
    } finally {
      this.#bytes -= length;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const threads = this.#slots.map(({ thread }) => thread).filter((thread) => thread !== undefined);
    this.#rejectWaiting(stopping);
    for (const { reject } of threads.flatMap(({ jobs }) => jobs)) reject(stopping());
    await Promise.all(threads.map((thread) => thread.end()));
  }

  /** The second thread is started when the first is busy. */
  #dispatch(): void {
    for (const slot of this.#slots) {
      if (this.#waiting.size === 0) return;
      if (slot.thread === undefined) this.#start(slot);
      else if (slot.thread.isIdle) this.#assign(slot.thread);
      if (slot.thread?.isReady !== true) return;
    }
  }

  #assign(thread: Thread<Pending, Job, Answer>): void {
    const pending = this.#waiting.take(() => true);
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    thread.assign(pending, pending.job);
  }

  #start(slot: Slot): void {
    if (this.#closed) return;
    slot.thread = new Thread(
      {
        ready: () => this.#dispatch(),
        answered: (pending, answer) => {
          pending.resolve(answer);
          this.#dispatch();
        },
        died: (death) => this.#died(slot, death),
      },
      {
        module: new URL('./worker.ts', import.meta.url),
        resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb, maxYoungGenerationSizeMb: 32 },
        limits: this.#limits,
      },
    );
  }

  #died(slot: Slot, { ending, culprit, cause }: Death<Pending>): void {
    slot.thread = undefined;
    if (ending === 'never ready') {
      if (!this.#slots.some(({ thread }) => thread?.isReady))
        this.#rejectWaiting(() => new ScanFailed('The scanner does not start.', { cause }));
      return;
    }
    const Failure = ending === 'too slow' ? ScanTooSlow : ScanFailed;
    culprit?.reject(new Failure(`The scan ended without a verdict: ${endings[ending]}.`, { cause }));
    this.#dispatch();
  }

  #rejectWaiting(error: () => Error): void {
    for (const { timer, reject } of this.#waiting.removeAll()) {
      clearTimeout(timer);
      reject(error());
    }
  }
}

const endings = {
  'too slow': 'it took more processor time than a scan may',
  starved: 'the machine had too little time for it',
  crashed: 'its thread ended',
} as const;

const stopping = (): ScanFailed => new ScanFailed('The service is stopping.');

import { LRUCache } from 'lru-cache';
import type { ContentReader } from '../../context/ports.ts';
import type { JsonValue } from '../../json/value.ts';
import { ThreadPool, type PoolLimits, type Pooled } from '../../threads/pool.ts';
import type { Death } from '../../threads/thread.ts';
import { Quota } from '../../turns/quota.ts';
import { Turns } from '../../turns/turns.ts';
import { UnreadableBody } from '../reading/errors.ts';
import { ScanFailed, ScanLater, ScanTooSlow } from './errors.ts';
import type { Answer, Job } from './messages.ts';
import type { ScanInput } from '../reading/body.ts';
import type { Place, Verdict } from './verdict.ts';

export interface ScanLimits extends PoolLimits {
  /** Bodies that wait or are scanned, together, in bytes. */
  bytesInFlight: number;
  /** Scans of one operator that wait or are under way; one that has used its processor time has one. */
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
  // A worker takes eight steps in parallel, most of which are left to other operators; and the third scan of two seconds, one after the other,
  // begins within `waitMs`.
  scansOfCaller: 3,
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

interface Pending extends Pooled {
  job: Job;
  resolve(answer: Answer): void;
}

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

/**
 * Processor time that a caller has used lately: 100 milliseconds come back in a second, so that a mail as people write it, of 2 to 40, is
 * forgotten with the next.
 */
const TIME = { burst: 300, perSecond: 100 } as const;
/** A caller whose last scan took no longer may have both threads: what it sends is light, milliseconds. */
const LIGHT_MS = 50;
/** Callers whose last scan is remembered. */
const MAX_CALLERS = 10_000;

/**
 * Callers take turns by processor time: the one that has used least lately is next. One that has used more than its burst has the second thread
 * alone, so the first is there for everybody else; and one whose scans are not known to be light has one thread at a time.
 *
 * Each thread has one scan at a time, so what one message needs never stops another in the middle: what was scanned in part cannot be continued.
 *
 * Without turns twelve heavy mails of one operator took both threads, and the scan of another, which takes milliseconds, waited 1.8 seconds. Turns by
 * the number of scans would count one of two seconds as one of two milliseconds. Heavy mails are honest too, so none is refused. Several operators
 * with heavy mails share the second thread while the first may be idle. Each process measures its own threads.
 */
class Pool {
  readonly #waiting = new Turns<Pending>();
  readonly #limits: ScanLimits;
  readonly #threads: ThreadPool<Pending, Job, Answer>;
  /** How many scans of each caller wait or are under way. */
  readonly #scans = new Map<string, number>();
  /** Milliseconds. */
  readonly #time = new Quota(TIME);
  /** By caller: what its last scan took, milliseconds. */
  readonly #lasts = new LRUCache<string, number>({ max: MAX_CALLERS });
  #bytes = 0;

  constructor(limits: ScanLimits) {
    this.#limits = limits;
    this.#threads = new ThreadPool(
      {
        module: new URL('./worker.ts', import.meta.url),
        resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 32 },
        limits,
      },
      {
        queues: [this.#waiting],
        queueOf: () => this.#waiting,
        next: (thread, isSecond) => (thread.isIdle ? this.#next(isSecond) : undefined),
        jobFor: ({ job }) => job,
        answered: (pending, { answer, cpuMs }) => {
          this.#learn(pending, cpuMs);
          pending.resolve(answer);
          return true;
        },
        stopped: (pending, death) => {
          this.#learn(pending, death.cpuMs);
          pending.reject(withoutVerdict(death));
        },
        refusal: (why, cause) => new ScanFailed(refusals[why], { cause }),
      },
    );
  }

  #next(isSecond: boolean): Pending | undefined {
    return this.#waiting.takeCheapest(
      (caller) => this.#time.used(caller),
      ({ caller }) => this.#mayGo(caller, isSecond),
    );
  }

  #mayGo(caller: string, isSecond: boolean): boolean {
    const isLight = (this.#lasts.get(caller) ?? Infinity) <= LIGHT_MS;
    if (!isLight && this.#threads.assigned.some((other) => other.caller === caller)) return false;
    return isSecond || !this.#isHeavy(caller);
  }

  #isHeavy(caller: string): boolean {
    return this.#time.used(caller) > TIME.burst;
  }

  #learn({ caller }: Pending, cpuMs: number): void {
    this.#time.use(caller, cpuMs);
    this.#lasts.set(caller, cpuMs);
  }

  /** The jobs of a caller beyond its share come again later, so that it does not hold the steps of the worker while it waits. */
  async scan(wanted: Job, caller: string): Promise<Answer> {
    const before = this.#scans.get(caller) ?? 0;
    const most = this.#isHeavy(caller) ? 1 : this.#limits.scansOfCaller;
    if (before >= most) throw new ScanLater('The operator has as many scans as one may have.');
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
    const { input } = wanted;
    const { length } = input.body;
    if (this.#bytes + length > this.#limits.bytesInFlight)
      throw new ScanFailed('Too much waits to be scanned; send it again in a moment.');
    this.#bytes += length;
    try {
      return await new Promise((resolve, reject) => {
        // A view into a larger buffer would be sent with all of it.
        const job = { ...wanted, input: { ...input, body: new Uint8Array(input.body) } };
        this.#threads.add({ job, caller, resolve, reject });
      });
    } finally {
      this.#bytes -= length;
    }
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }
}

function withoutVerdict({ ending, cause }: Death<Pending>): ScanFailed {
  const Failure = ending === 'too slow' ? ScanTooSlow : ScanFailed;
  return new Failure(`The scan ended without a verdict: ${endings[ending]}.`, { cause });
}

const endings = {
  'too slow': 'it took more processor time than a scan may',
  starved: 'the machine had too little time for it',
  crashed: 'its thread ended',
} as const;

const refusals = {
  'begins too late': 'The scan could not begin in time; send it again in a moment.',
  'does not start': 'The scanner does not start.',
  stopping: 'The service is stopping.',
};

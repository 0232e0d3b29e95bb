import type { IncomingMessage } from 'node:http';
import { CarnetError } from '../errors/carnet-error.ts';

/** Bytes, but for `stepMs`. */
export interface BodyLimits {
  /** What is held at once, and of one owner. */
  total: number;
  ofOwner: number;
  /** The last part of `total`, which is kept for owners who hold `small` at most. */
  kept: number;
  small: number;
  /** A body that is still arriving brings `step` bytes within `stepMs` milliseconds, or ends. */
  step: number;
  stepMs: number;
}

/** Bodies of 10 MiB are the largest; 60 s are what a request has at all, so whoever sends steadily is far above the least rate. */
export const STANDARD_BODY_LIMITS: BodyLimits = {
  total: 64 * 1_048_576,
  ofOwner: 32 * 1_048_576,
  kept: 16 * 1_048_576,
  small: 1_048_576,
  step: 65_536,
  stepMs: 10_000,
};

/** Thrown when the client went away before its body had arrived: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

interface Owner {
  name: string;
  /** Bytes of this owner, and those of them whose bodies have arrived. */
  held: number;
  arrived: number;
  arriving: Set<ArrivingBody>;
}

/** A body that has arrived. */
export interface HeldBody {
  bytes: Buffer;
  /** Gives its room back; once. */
  release(): void;
}

/** How a body is to be read. */
interface Reading {
  /** Whose share of the room it takes. */
  owner: string;
  /** Bytes at most. */
  limit: number;
}

/**
 * Reads bodies, and keeps the bytes that a process holds of them bounded: most are read before anybody knows whether their sender may send
 * them. Bytes count when they arrive, so what is announced and not sent takes nobody's room. Where there is no room for more, a body that is
 * still arriving gives way: of the same owner where the owner holds their whole share, else of the owner who holds most, and of theirs the
 * one that brings its bytes most slowly. It is refused, and what its client still sends is thrown away.
 */
export class HeldBodies {
  readonly #limits: BodyLimits;
  readonly #owners = new Map<string, Owner>();
  #held = 0;
  #arrived = 0;
  #watching = false;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /**
   * @throws CarnetError BODY_TOO_LARGE; TEMPORARILY_UNAVAILABLE where there is no room for it, or it gave way to others; REQUEST_TIMEOUT where it
   *   arrives too slowly; ClientGone
   */
  async read(request: IncomingMessage, { owner: name, limit }: Reading): Promise<HeldBody> {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > limit) throw tooLarge(limit);
    const owner = this.#owners.get(name) ?? { name, held: 0, arrived: 0, arriving: new Set<ArrivingBody>() };
    const { total, ofOwner } = this.#limits;
    // What has arrived is worked on and gives no way; what is arriving may.
    const least = owner.arrived + announced;
    if (least > ofOwner || this.#arrived + announced > total - this.#keptFrom(least)) throw noRoom();
    this.#owners.set(name, owner);
    const body = new ArrivingBody(request, limit, (count) => this.#count(owner, body, count));
    owner.arriving.add(body);
    this.#watch();
    try {
      const bytes = await body.whole;
      this.#arrived += body.size;
      owner.arrived += body.size;
      return {
        bytes,
        release: () => {
          this.#arrived -= body.size;
          owner.arrived -= body.size;
          this.#giveBack(owner, body.size);
        },
      };
    } catch (error) {
      // Of one that gave way the room is free already.
      if (owner.arriving.has(body)) this.#giveBack(owner, body.size);
      throw error;
    } finally {
      owner.arriving.delete(body);
      this.#forget(owner);
    }
  }

  #keptFrom(heldOfOwner: number): number {
    return heldOfOwner <= this.#limits.small ? 0 : this.#limits.kept;
  }

  #count(owner: Owner, body: ArrivingBody, count: number): void {
    owner.held += count;
    this.#held += count;
    body.keepPace(this.#limits.step);
    while (body.arriving && this.#isFullFor(owner)) {
      const from = owner.held > this.#limits.ofOwner ? owner : this.#heaviest(owner);
      this.#end(from, slowest(from) ?? body, noRoom());
    }
  }

  #isFullFor({ held }: Owner): boolean {
    const { total, ofOwner } = this.#limits;
    return held > ofOwner || this.#held > total - this.#keptFrom(held);
  }

  /** Of those with a body that can give way; `owner` where nobody holds more. */
  #heaviest(owner: Owner): Owner {
    let heaviest = owner;
    for (const other of this.#owners.values())
      if (other.arriving.size > 0 && other.held > heaviest.held) heaviest = other;
    return heaviest;
  }

  #end(owner: Owner, body: ArrivingBody, refusal: CarnetError): void {
    owner.arriving.delete(body);
    this.#giveBack(owner, body.size);
    body.fail(refusal);
  }

  #giveBack(owner: Owner, count: number): void {
    this.#held -= count;
    owner.held -= count;
    this.#forget(owner);
  }

  #forget(owner: Owner): void {
    if (owner.held > 0 || owner.arriving.size > 0) return;
    // After an empty body there may be another of this name by now.
    if (this.#owners.get(owner.name) === owner) this.#owners.delete(owner.name);
  }

  /** Looks at the pace of what is arriving, for as long as something is: one timer for all, since most bodies arrive with their head. */
  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    setTimeout(() => {
      this.#watching = false;
      this.#endSlow();
      if (this.#owners.values().some(({ arriving }) => arriving.size > 0)) this.#watch();
    }, this.#limits.stepMs / 10).unref();
  }

  #endSlow(): void {
    const { step, stepMs } = this.#limits;
    const since = performance.now() - stepMs;
    for (const owner of this.#owners.values())
      for (const body of owner.arriving) if (body.stepBegan < since) this.#end(owner, body, tooSlow(step, stepMs));
  }
}

const slowest = ({ arriving }: Owner): ArrivingBody | undefined => {
  let found: ArrivingBody | undefined;
  for (const body of arriving) if (found === undefined || body.stepBegan < found.stepBegan) found = body;
  return found;
};

/** A body on its way: collected until it is whole or somebody ends it; from then on its client's bytes are thrown away. */
class ArrivingBody {
  readonly whole: Promise<Buffer>;
  /** Bytes that have come. */
  size = 0;
  arriving = true;
  /** When the bytes since its last whole step began to come, by `performance.now()`. */
  stepBegan = performance.now();
  #steps = 0;
  readonly #settle = Promise.withResolvers<Buffer>();
  #chunks: Buffer[] = [];
  readonly #request: IncomingMessage;
  readonly #limit: number;
  readonly #counted: (count: number) => void;

  constructor(request: IncomingMessage, limit: number, counted: (count: number) => void) {
    this.#request = request;
    this.#limit = limit;
    this.#counted = counted;
    this.whole = this.#settle.promise;
    request.on('data', this.#take).on('end', this.#end).on('error', this.#gone).on('close', this.#gone);
    if (request.destroyed) this.#gone();
  }

  keepPace(step: number): void {
    const steps = Math.floor(this.size / step);
    if (steps === this.#steps) return;
    this.#steps = steps;
    this.stepBegan = performance.now();
  }

  fail(error: Error): void {
    this.#stop();
    this.#chunks = [];
    this.#request.resume();
    this.#settle.reject(error);
  }

  #stop(): void {
    this.arriving = false;
    this.#request.off('data', this.#take).off('end', this.#end).off('close', this.#gone);
  }

  readonly #take = (chunk: Buffer): void => {
    if (this.size + chunk.length > this.#limit) return this.fail(tooLarge(this.#limit));
    this.size += chunk.length;
    this.#chunks.push(chunk);
    this.#counted(chunk.length);
  };

  readonly #end = (): void => {
    this.#stop();
    const [first] = this.#chunks;
    this.#settle.resolve(
      first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.size),
    );
    this.#chunks = [];
  };

  /** Stays for the errors of a request that nobody reads any more. */
  readonly #gone = (): void => {
    if (this.arriving) this.fail(new ClientGone());
  };
}

const tooLarge = (limit: number): CarnetError =>
  new CarnetError(
    'BODY_TOO_LARGE',
    `The body is larger than the ${limit.toLocaleString('en')} bytes that are taken here.`,
  );

const noRoom = (): CarnetError =>
  new CarnetError('TEMPORARILY_UNAVAILABLE', 'Too much is being received at once; send this again in a moment.', {
    headers: { 'Retry-After': '5' },
  });

const tooSlow = (step: number, stepMs: number): CarnetError =>
  new CarnetError(
    'REQUEST_TIMEOUT',
    `The body came too slowly: until it is whole, ${step.toLocaleString('en')} bytes of it arrive within ${stepMs / 1_000} seconds. Send it again.`,
    { headers: { Connection: 'close' } },
  );

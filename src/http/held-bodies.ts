import type { IncomingMessage } from 'node:http';
import { CarnetError } from '../errors/carnet-error.ts';

/** Bytes, but for `stepMs`. */
export interface BodyLimits {
  /** Bytes that are held together, and of one owner. */
  total: number;
  ofOwner: number;
  /** The largest body: an owner of whose bodies more is arriving is the first to give way. */
  enough: number;
  /** The part of `total` that is kept for owners who hold `small` at most, each; the others have what remains. */
  kept: number;
  small: number;
  /** A body that is still arriving brings `step` bytes within `stepMs` milliseconds, or ends. */
  step: number;
  stepMs: number;
}

/** A request has 60 s to arrive, so a body of 10 MiB that does is far above the least rate. */
export const STANDARD_BODY_LIMITS: BodyLimits = {
  total: 64 * 1_048_576,
  ofOwner: 32 * 1_048_576,
  enough: 10 * 1_048_576,
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

/** Bytes of all owners. */
interface Sum {
  all: number;
  /** Those of owners who have more than `small` of them. */
  large: number;
}

/** A body that has arrived. */
export interface HeldBody {
  bytes: Buffer;
  /** Gives its room back; once. */
  release(): void;
}

/** How a body is to be read. */
interface Reading {
  /** It takes this owner's share of the room. */
  owner: string;
  /** Bytes at most. */
  limit: number;
}

/**
 * Reads bodies, and keeps the bytes that a process holds of them bounded: most are read before anybody knows whether their sender may send
 * them. Bytes count when they arrive, so what is announced and not sent takes nobody's room. Where there is no room for more, the body that
 * brings its bytes most slowly gives way: of the same owner where the owner holds their whole share, else of an owner of whose bodies more is
 * arriving than the largest has, else of all. It is refused, and what its client still sends is thrown away.
 *
 * The slowest and not the largest: many owners who hold a little each would otherwise refuse every larger body. Owners who hold little and
 * those who hold more make room among themselves, so that neither takes the room of the other.
 */
export class HeldBodies {
  readonly #limits: BodyLimits;
  readonly #owners = new Map<string, Owner>();
  readonly #held: Sum = { all: 0, large: 0 };
  readonly #arrived: Sum = { all: 0, large: 0 };
  #watching = false;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held.all;
  }

  /**
   * @throws CarnetError BODY_TOO_LARGE; TEMPORARILY_UNAVAILABLE where there is no room for it, or it gave way to others; REQUEST_TIMEOUT where it
   *   arrives too slowly; ClientGone
   */
  async read(request: IncomingMessage, { owner: name, limit }: Reading): Promise<HeldBody> {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > limit) throw tooLarge(limit);
    const owner = this.#owners.get(name) ?? { name, held: 0, arrived: 0, arriving: new Set<ArrivingBody>() };
    // A body that has arrived is worked on and gives no way; what is arriving may.
    const arrived = { ...this.#arrived };
    this.#add(arrived, { had: owner.arrived, count: announced });
    if (this.#isFull(arrived, owner.arrived + announced)) throw noRoom();
    this.#owners.set(name, owner);
    const body = new ArrivingBody(request, limit, (count) => this.#count(owner, body, count));
    owner.arriving.add(body);
    this.#watch();
    try {
      const bytes = await body.whole;
      owner.arrived = this.#add(this.#arrived, { had: owner.arrived, count: body.size });
      return {
        bytes,
        release: () => {
          owner.arrived = this.#add(this.#arrived, { had: owner.arrived, count: -body.size });
          this.#giveBack(owner, body.size);
        },
      };
    } catch (error) {
      // The room of one that gave way is free already.
      if (owner.arriving.has(body)) this.#giveBack(owner, body.size);
      throw error;
    } finally {
      owner.arriving.delete(body);
      this.#forget(owner);
    }
  }

  /** @returns what an owner has once `count` is added to what they `had` */
  #add(sum: Sum, { had, count }: { had: number; count: number }): number {
    const has = had + count;
    sum.all += count;
    sum.large += this.#largeOf(has) - this.#largeOf(had);
    return has;
  }

  #largeOf(bytes: number): number {
    return bytes > this.#limits.small ? bytes : 0;
  }

  /** For an owner who has `ofOwner` of the sum. */
  #isFull(sum: Sum, ofOwner: number): boolean {
    const { total } = this.#limits;
    return ofOwner > this.#limits.ofOwner || sum.all > total || (this.#largeOf(ofOwner) > 0 && this.#isCrowded(sum));
  }

  /** By owners who have more than `small`. */
  #isCrowded({ large }: Sum): boolean {
    return large > this.#limits.total - this.#limits.kept;
  }

  #count(owner: Owner, body: ArrivingBody, count: number): void {
    owner.held = this.#add(this.#held, { had: owner.held, count });
    body.keepPace(this.#limits.step);
    while (body.arriving && this.#isFull(this.#held, owner.held)) {
      const [from, ending] = this.#toGiveWay(owner) ?? [owner, body];
      this.#end(from, ending, noRoom());
    }
  }

  /** Finds the body that makes room for more of `owner`; undefined where nothing that arrives holds any. */
  #toGiveWay(owner: Owner): readonly [Owner, ArrivingBody] | undefined {
    if (owner.held > this.#limits.ofOwner) return slowestOf([owner]);
    const isCrowded = this.#isCrowded(this.#held);
    const owners = this.#owners
      .values()
      .filter(({ held }) => this.#largeOf(held) > 0 === isCrowded)
      .toArray();
    const greedy = owners.filter((one) => arrivingOf(one) > this.#limits.enough);
    const greediest = greedy.toSorted((one, other) => arrivingOf(other) - arrivingOf(one)).slice(0, 1);
    return slowestOf(greediest) ?? slowestOf(owners) ?? slowestOf(this.#owners.values());
  }

  #end(owner: Owner, body: ArrivingBody, refusal: CarnetError): void {
    owner.arriving.delete(body);
    this.#giveBack(owner, body.size);
    body.fail(refusal);
  }

  #giveBack(owner: Owner, count: number): void {
    owner.held = this.#add(this.#held, { had: owner.held, count: -count });
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

/** Bytes of bodies that are not whole yet. */
const arrivingOf = ({ held, arrived }: Owner): number => held - arrived;

/** Finds the slowest of the bodies that hold something. */
function slowestOf(owners: Iterable<Owner>): readonly [Owner, ArrivingBody] | undefined {
  let found: readonly [Owner, ArrivingBody] | undefined;
  for (const owner of owners)
    for (const body of owner.arriving)
      if (body.size > 0 && (found === undefined || body.stepBegan < found[1].stepBegan)) found = [owner, body];
  return found;
}

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
  new CarnetError('TEMPORARILY_UNAVAILABLE', 'Too much is being received together; send this again in a moment.', {
    headers: { 'Retry-After': '5' },
  });

const tooSlow = (step: number, stepMs: number): CarnetError =>
  new CarnetError(
    'REQUEST_TIMEOUT',
    `The body came too slowly: until it is whole, ${step.toLocaleString('en')} bytes of it arrive within ${stepMs / 1_000} seconds. Send it again.`,
    { headers: { Connection: 'close' } },
  );

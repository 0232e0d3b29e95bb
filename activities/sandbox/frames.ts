/** A frame that a child sends. `console` comes any number of times in a run, `output` or `fault` once, at its end. */
export interface Frame {
  kind: 'ready' | 'console' | 'output' | 'fault';
  payload: Buffer;
}

/** JSON text that a step may return, in bytes. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;
/** The size of what a script printed and of its exception together, in bytes, with the notes that some was cut off. */
export const MAX_CONSOLE_BYTES = 16 * 1024;

const NONCE_BYTES = 16;
const HEAD_BYTES = NONCE_BYTES + 5;
/** Named by their first letter; children/channel.mjs writes the same. */
const KINDS: ReadonlyMap<string, Frame['kind']> = new Map([
  ['r', 'ready'],
  ['c', 'console'],
  ['o', 'output'],
  ['f', 'fault'],
]);
/** A child cuts texts itself; these bounds are for one that does not. */
const MAX_BYTES: Record<Frame['kind'], number> = {
  ready: 0,
  console: MAX_CONSOLE_BYTES,
  // A child measures characters, of which each is three bytes at most.
  output: 3 * MAX_OUTPUT_BYTES,
  fault: 64,
};

export const newNonce = (): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
/** The frame that comes before the first job. */
export const NO_NONCE = Buffer.alloc(NONCE_BYTES);

/** A child sent what it never sends: something in it has gone wrong, or is not ours. */
export class ForeignFrame extends Error {}

/** Puts frames together from what a pipe brings. Holds one frame at most, which is bounded. */
export class FrameReader {
  #held: Buffer = Buffer.alloc(0);
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Bytes that the frame needs which comes next, as far as that is known. */
  #needs = HEAD_BYTES;

  /**
   * @param nonce that of the run, which every frame must bear
   * @throws ForeignFrame where one bears another, is of no kind, or is too long
   */
  read(chunk: Buffer, nonce: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: Frame[] = [];
    while (this.#bytes >= this.#needs) {
      this.#gather();
      const length = payloadLength(this.#held, nonce);
      this.#needs = HEAD_BYTES + length;
      if (this.#bytes < this.#needs) break;
      frames.push({ kind: kindOf(this.#held), payload: this.#held.subarray(HEAD_BYTES, this.#needs) });
      this.#held = this.#held.subarray(this.#needs);
      this.#bytes = this.#held.length;
      this.#needs = HEAD_BYTES;
    }
    return frames;
  }

  #gather(): void {
    if (this.#chunks.length === 0) return;
    this.#held = Buffer.concat([this.#held, ...this.#chunks]);
    this.#chunks = [];
  }
}

function kindOf(head: Buffer): Frame['kind'] {
  const kind = KINDS.get(String.fromCharCode(head[NONCE_BYTES] ?? 0));
  if (kind === undefined) throw new ForeignFrame('a frame of no known kind');
  return kind;
}

function payloadLength(head: Buffer, nonce: Buffer): number {
  if (!head.subarray(0, NONCE_BYTES).equals(nonce)) throw new ForeignFrame('a frame of no run');
  const length = head.readUInt32LE(NONCE_BYTES + 1);
  if (length > MAX_BYTES[kindOf(head)]) throw new ForeignFrame('a frame that is too long');
  return length;
}

import type { Dispatcher } from 'undici';
import { within } from './within.ts';

/** The part that was read of a reply's body. */
export interface Reply {
  /** The first 4 KiB unless the request says otherwise; without control characters but tab and line feed. Empty where the body is compressed. */
  replyText: string;
  /** Whether the body came to its end, and else why it was read no further. */
  replyEnd: 'whole' | 'too_long' | 'too_slow' | 'broken';
}

/** Bytes that a person who looks for a receiver's fault reads. */
const TEXT_BYTES = 4_096;
/** Milliseconds for the body: its status is known by then, and few use the rest. */
const REPLY_MS = 2_000;

/** Reads a body up to its end, the limit or the signal, whichever comes first, and never throws. */
export async function readReply(
  { body, headers }: Pick<Dispatcher.ResponseData, 'body' | 'headers'>,
  {
    maxBytes,
    textBytes = TEXT_BYTES,
    signal: parent,
  }: { maxBytes: number; textBytes?: number | undefined; signal: AbortSignal },
): Promise<Reply> {
  const kept: Buffer[] = [];
  let size = 0;
  const replyEnd = await within(REPLY_MS, parent, async (signal): Promise<Reply['replyEnd']> => {
    const stop = (): unknown => body.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        if (size < textBytes) kept.push(chunk.subarray(0, textBytes - size));
        size += chunk.length;
        if (size > maxBytes) return 'too_long';
      }
      return signal.aborted ? 'too_slow' : 'whole';
    } catch {
      return signal.aborted ? 'too_slow' : 'broken';
    }
  });
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  return { replyText: encoding === 'identity' ? textOf(Buffer.concat(kept)) : '', replyEnd };
}

/** Postgres keeps no NUL, and a terminal obeys others. A character that the limit cuts in two is left out. */
const textOf = (bytes: Buffer): string =>
  new TextDecoder().decode(bytes, { stream: true }).replace(/[^\P{Cc}\t\n]/gu, '\uFFFD');

import type { Outbound } from '../outbound/index.ts';
import { outcomeOfCall, type Sending } from '../outbound/outcomes.ts';

/** Milliseconds for the whole call, DNS and the answer included (decision N10). */
const CALL_MS = 10_000;
/** Bytes of an answer that are read: only its status counts. */
const REPLY_BYTES = 65_536;

/** Sends a signed request, once. */
export async function callReceiver(
  outbound: Outbound,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
): Promise<Sending & { latencyMs: number }> {
  const answer = await outbound.send({ url, headers, body, timeoutMs: CALL_MS, maxReplyBytes: REPLY_BYTES });
  return { ...outcomeOfCall(answer), latencyMs: answer.latencyMs };
}

import type { Context } from '../../context/context.ts';
import { CarnetError, invalid } from '../../errors/carnet-error.ts';
import type { RouteAnswer } from '../../http/route.ts';
import { findEventState, type EventState } from '../events/queries.ts';
import type { Taken } from './queries.ts';
import type { ReceivedEvent } from './schema.ts';

/**
 * Waits until the event has ended, and answers what came of it; 202 where only its verdict stands by then.
 * @throws CarnetError ENDPOINT_REVOKED where it was revoked meanwhile; SCAN_FAILED, KEY_UNAVAILABLE where the event failed: the same request,
 *   sent again, is another attempt; TEMPORARILY_UNAVAILABLE where it has no verdict yet, or a duplicate is not finished
 */
export async function answerReceived(
  { pool, rowEvents }: Context,
  { event_id: id, taken }: Taken,
  { caller, waitSeconds, signal }: { caller: string; waitSeconds: number; signal: AbortSignal },
): Promise<RouteAnswer<ReceivedEvent>> {
  const duplicate = taken === 'duplicate';
  const read = (): Promise<EventState> => findEventState(pool, id);
  const ended = await rowEvents.waitFor(id, { caller, seconds: waitSeconds, signal }, async () => {
    const state = await read();
    return state.ended ? state : undefined;
  });
  const state = ended ?? (await read());
  const { status, verdict, reason, error } = state;
  if (status === 'failed' && reason === 'unreadable')
    throw invalid({
      path: 'body',
      code: 'unreadable',
      message: `${error ?? ''} Sending the same bytes again changes nothing.`,
    });
  if (status === 'failed') throw failed(reason);
  if (status === 'revoked') {
    throw new CarnetError(
      'ENDPOINT_REVOKED',
      'The endpoint was revoked while this event was being scanned; nothing was forwarded.',
    );
  }
  // Without a verdict the event can still fail, and a provider that was answered 202 sends it no second time (decision I8).
  if (verdict === null || (!state.ended && duplicate)) {
    throw new CarnetError(
      'TEMPORARILY_UNAVAILABLE',
      'The event is kept and not finished yet; send it again in a moment.',
      {
        headers: { 'Retry-After': '10' },
      },
    );
  }
  return {
    status: state.ended ? 200 : 202,
    body: { event_id: id, duplicate, status, verdict, forwarded: status === 'forwarded' },
  };
}

const failed = (reason: string | null): CarnetError =>
  reason === 'key_unavailable'
    ? new CarnetError(
        'KEY_UNAVAILABLE',
        'The event could not be decrypted, and is not forwarded; send it again later.',
        {
          headers: { 'Retry-After': '60' },
        },
      )
    : new CarnetError(
        'SCAN_FAILED',
        'The event could not be scanned, and is not forwarded; send it again in a moment.',
        {
          headers: { 'Retry-After': '10' },
        },
      );

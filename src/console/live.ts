import { Readable } from 'node:stream';
import type { Context } from '../context/context.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import type { Page } from '../http/pages/page.ts';
import type { PeoplePage } from '../http/pages/people-pages.ts';
import { Shares } from '../turns/shares.ts';
import { HOME } from './places.ts';
import { oneOf, type PersonsVisit } from './visits.ts';

/*
 * Live updates: a page names the ids that it shows, and is told when one of them changes. It then fetches itself again, so that an event says
 * nothing and what a person may see is judged in one place.
 */

/** As many rows as the longest list of the console shows. */
const MAX_IDS = 100;
/** A stream ends after this, and the browser opens another: so the session is looked at each minute. */
const STREAM_MS = 60_000;
/** Pages that show what has no id yet, new rows say, look themselves. */
const LOOK_MS = 15_000;
/** Before a browser whose stream has ended opens another, in milliseconds. */
const RETRY_MS = 1_000;
/** Streams of a process at most; one operator has three quarters of them at most. */
const MAX_STREAMS = 500;
/** A stream says at least this often that it is there: the server cuts an answer whose client seems to read nothing for half a minute. */
const BEAT_MS = 10_000;
/** Changes that come together are one event. */
const GATHER_MS = 150;

/** Clocks of two processes differ by less: one may have made the page, and another has its stream. */
const CLOCKS_MS = 1_000;

const PURPOSE = 'console-live';

/** The address of the stream of a page: it names ids that the page shows, signed, so that nobody watches others. */
export function liveAddress(
  { visit: { context, begun }, session: { member } }: PersonsVisit,
  { ids, looks }: { ids: readonly string[]; looks?: true },
): string {
  const named = ids.slice(0, MAX_IDS).join(' ');
  const query = new URLSearchParams({
    ids: named,
    since: String(begun),
    mac: context.encryption.mac(`${member.id} ${named}`, PURPOSE),
    ...(looks && { looks: '' }),
  });
  return `${HOME}/live?${query.toString()}`;
}

/** The stream of a page that is open. */
export function livePage(): PeoplePage {
  const streams = new Shares(MAX_STREAMS);
  return {
    operation: 'live',
    async page(visit): Promise<Page> {
      const { context, query } = visit;
      const session = await visit.session();
      if (session === null)
        throw new CarnetError('UNAUTHENTICATED', 'The session of this page has ended; sign in again.');
      const named = oneOf(query, 'ids');
      const signed = { purpose: PURPOSE, mac: oneOf(query, 'mac') };
      if (!context.encryption.macFits(`${session.member.id} ${named}`, signed))
        throw new CarnetError('NOT_FOUND', 'No page has this stream.');
      const { id: operatorId } = session.operator;
      if (!streams.mayTake(operatorId))
        throw new CarnetError(
          'TEMPORARILY_UNAVAILABLE',
          'Too many pages are open; load the page again to see what is new.',
          {
            headers: { 'Retry-After': '60' },
          },
        );
      return {
        status: 200,
        type: 'text/event-stream',
        body: '',
        stream: streamOf(context, {
          ids: new Set(named.split(' ')),
          looks: query['looks'] !== undefined,
          since: Number(oneOf(query, 'since')),
          streams,
          operatorId,
        }),
      };
    },
  };
}

interface Stream {
  ids: ReadonlySet<string>;
  looks: boolean;
  /** When the page began to read, in milliseconds. */
  since: number;
  streams: Shares;
  operatorId: string;
}

function streamOf({ rowEvents }: Context, { ids, looks, since, streams, operatorId }: Stream): Readable {
  const stream = new Readable({ read: () => {} });
  let gathering: NodeJS.Timeout | undefined;
  const tell = (): void => {
    gathering = undefined;
    // A browser that reads nothing is told once more when it does.
    if (stream.readableLength === 0) stream.push('data: changed\n\n');
  };
  streams.take(operatorId);
  const unsubscribe = rowEvents.subscribe((id) => {
    if (id === '*' || ids.has(id)) gathering ??= setTimeout(tell, GATHER_MS);
  });
  const look = looks ? setInterval(tell, LOOK_MS) : undefined;
  const beat = setInterval(() => stream.readableLength === 0 && stream.push(':\n\n'), BEAT_MS);
  const end = setTimeout(() => stream.push(null), STREAM_MS);
  stream.once('close', () => {
    unsubscribe();
    streams.giveBack(operatorId);
    clearTimeout(gathering);
    clearInterval(look);
    clearInterval(beat);
    clearTimeout(end);
  });
  stream.push(`retry: ${RETRY_MS}\n\n`);
  // A change between the first read of the page and the opening of its stream, or while there was none.
  if (rowEvents.mayHaveChanged(ids, since - CLOCKS_MS)) gathering ??= setTimeout(tell, GATHER_MS);
  return stream;
}

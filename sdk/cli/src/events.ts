import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Carnet, Operations } from '../../typescript/src/index.ts';
import { forward, localAddress, newSecret } from './forward.ts';
import { json, Misuse, plain, type Terminal } from './terminal.ts';

interface Options {
  forward?: string | undefined;
  secret?: string | undefined;
  events?: string | undefined;
  destination?: string | undefined;
  json: boolean;
}

type Filter = Pick<NonNullable<Operations['listEvents']['arguments']['query']>, 'event_type'>;

const POLL_MS = 1_000;

const tell = (terminal: Terminal, { json: asJson }: Options, members: Record<string, string>): void =>
  terminal.write(`${asJson ? json(members) : Object.values(members).map(plain).join('  ')}\n`);

/** Where the feed ends now: only what happens from here on is forwarded. */
async function endOfFeed({ api }: Carnet, filter: Filter): Promise<string | undefined> {
  let cursor: string | undefined;
  // The first page of the last second is the whole of it, unless a thousand events happened in it.
  const since = new Date(Date.now() - 1_000).toISOString();
  for (;;) {
    const page = await api.listEvents({ query: { ...filter, ...(cursor === undefined ? { since } : { cursor }) } });
    cursor = page.next_cursor;
    if (!page.has_more) return cursor;
  }
}

/** Whether a type is one of those that `--events` chooses: itself, or all of a family. */
const fits = (type: string, chosen = type): boolean =>
  chosen.endsWith('.*') ? type.startsWith(chosen.slice(0, -1)) : type === chosen;

/** Reads the feed and sends what is new to a port of this machine, in the order of the feed, until it is stopped. */
export async function listen(carnet: Carnet, terminal: Terminal, options: Options): Promise<void> {
  const to = localAddress(options.forward);
  const secret = options.secret ?? newSecret();
  // The service refuses a name that it does not know, and says which there are.
  const filter: Filter =
    options.events === undefined ? {} : { event_type: options.events as NonNullable<Filter['event_type']> };
  let cursor = await endOfFeed(carnet, filter);
  const unwritten = (await carnet.api.listEventTypes()).event_types.filter(
    ({ event_type: type, optional }) => optional && fits(type, options.events),
  );
  if (unwritten.length > 0)
    terminal.complain(`Only where a rule names them: ${unwritten.map((one) => plain(one.event_type)).join(', ')}\n`);
  tell(terminal, options, { listening: `Listening; webhooks are signed with ${secret}` });
  const { signal } = terminal;
  while (!signal?.aborted) {
    const query = { ...filter, ...(cursor !== undefined && { cursor }) };
    const page = await carnet.api.listEvents({ query, patienceMs: Infinity, ...(signal && { signal }) });
    for (const event of page.events) {
      const { outcome } = await forward(to, { id: event.id, event, secret });
      tell(terminal, options, { event: event.event_type, id: event.id, outcome });
    }
    cursor = page.next_cursor;
    if (!page.has_more) await sleep(POLL_MS, undefined, signal && { signal }).catch(() => {});
  }
}

/**
 * Sends the sample of an event to a port of this machine, or lets the service test a destination.
 * @returns whether it was taken
 */
export async function trigger(
  carnet: Carnet,
  terminal: Terminal,
  { name, options }: { name: string; options: Options },
): Promise<boolean> {
  if (options.destination !== undefined) {
    if (name !== 'notification.test')
      throw new Misuse('A destination is sent notification.test alone; give --forward for another event');
    await carnet.api.testDestination({ path: { id: options.destination } });
    tell(terminal, options, { event: name, destination: options.destination });
    return true;
  }
  const to = localAddress(options.forward);
  const { event_types: kinds } = await carnet.api.listEventTypes();
  const kind = kinds.find(({ event_type }) => event_type === name);
  if (kind === undefined)
    throw new Misuse(`There is no event ${name}. There are: ${kinds.map((one) => one.event_type).join(', ')}`);
  const secret = options.secret ?? newSecret();
  if (options.secret === undefined) tell(terminal, options, { secret: `Signed with ${secret}` });
  const { outcome, taken } = await forward(to, { id: `evt_test_${randomUUID()}`, event: kind.sample, secret });
  tell(terminal, options, { event: name, outcome });
  return taken;
}

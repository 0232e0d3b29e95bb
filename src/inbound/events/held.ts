import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { codeOf, showUnseenInWords } from '../../http/pages/unseen.ts';
import { cut } from '../../json/shown.ts';
import { decryptContent } from './content.ts';
import { findContents } from './queries.ts';
import type { HeldEvent, ReadHeldEvent } from './schema.ts';

/** Larger contents are not opened for a list: a page of them would be read in full for two lines of each. */
const MAX_BYTES = 262_144;
/** Characters of a sender and of a subject. */
const SHOWN = 200;

type Lines = Pick<ReadHeldEvent, 'sender' | 'subject'>;
const UNREAD: Lines = { sender: null, subject: null };

/**
 * Adds sender and subject to a page of what is held, for a person who decides about it. The read has an audit event, which is written before anything
 * is answered.
 */
export async function readHeld(
  context: Context,
  call: CommandCall,
  events: readonly HeldEvent[],
): Promise<Answered<ReadHeldEvent[]>> {
  const { operatorId } = call.caller;
  const ids = events.filter(({ size, content_kept: kept }) => kept && size <= MAX_BYTES).map(({ id }) => id);
  const sealed = new Map(
    (await findContents(context.pool, { operatorId, ids })).map(({ event_id: id, ...content }) => [id, content.sealed]),
  );
  const read: ReadHeldEvent[] = [];
  // One after the other: operators take turns at the readers.
  for (const event of events) {
    const content = sealed.get(event.id);
    read.push({
      ...event,
      ...(content === undefined ? UNREAD : await linesOf(context, event, { operatorId, sealed: content })),
    });
  }
  return runCommand(context, call, async (unit) => {
    await unit.audit('inbound_event.held_read', operatorId, { event_ids: [...sealed.keys()] });
    return { status: 200, body: read };
  });
}

/** The page of an event says why it cannot be opened or read. */
async function linesOf(
  { encryption, contentReader }: Context,
  { id, provider }: HeldEvent,
  { operatorId, sealed }: { operatorId: string; sealed: Buffer },
): Promise<Lines> {
  try {
    const { contentType, body } = decryptContent(encryption, id, sealed);
    const { passages } = await contentReader.passages({ provider, contentType, body }, [], operatorId);
    const lineAt = (place: string): string | null => {
      const text = passages.find((passage) => passage.place === place)?.parts[0]?.text.trim() ?? '';
      return text === '' ? null : showUnseenInWords(cut(text, SHOWN), codeOf);
    };
    return { sender: lineAt('from'), subject: lineAt('subject') };
  } catch {
    return UNREAD;
  }
}

import { hash } from 'node:crypto';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { Passage, PassagesOfBody } from '../../context/ports.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { codeOf, showUnseenInWords } from '../../http/pages/unseen.ts';
import { decryptContent, type InboundContent } from './content.ts';
import { UnreadableBody } from '../reading/errors.ts';
import { ScanTooSlow } from '../scanner/index.ts';
import { findContent } from './queries.ts';
import type { ReadContent } from './schema.ts';
import type { InboundProvider } from '../../fields/inbound-providers.ts';

type Read = Pick<ReadContent, 'state' | 'explanation' | 'passages' | 'places_left_out'>;

/**
 * Shows the content of an event to a person who decides about it: the text with the marks of its findings, and what is not seen as its code. Each
 * read has an audit event, which is written before anything is answered.
 * @throws CarnetError NOT_FOUND
 */
export async function readContent(
  context: Context,
  call: CommandCall,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<Answered<ReadContent>> {
  const { operatorId } = call.caller;
  const found = await findContent(context.pool, { operatorId, endpointId, id });
  assertThat(found, () => notFound('event'));
  const { sealed, ...event } = found;
  const content = sealed === null ? null : opened(context, id, sealed);
  const read = await readOf(context, { ...event, purged: sealed === null, operatorId, content });
  const body: ReadContent = {
    event_id: id,
    endpoint_id: endpointId,
    attempt: event.attempt,
    body_sha256: content === null ? null : hash('sha256', content.body, 'hex'),
    ...read,
  };
  return runCommand(context, call, async (unit) => {
    const { attempt, state } = body;
    await unit.audit('inbound_event.content_read', id, { endpoint_id: endpointId, attempt, state });
    return { status: 200, body };
  });
}

/** null: no key of ENCRYPTION_KEY opens it. */
function opened({ encryption, log }: Context, id: string, sealed: Buffer): InboundContent | null {
  try {
    return decryptContent(encryption, id, sealed);
  } catch (error) {
    log.error({ err: error, eventId: id }, 'no key of ENCRYPTION_KEY opens the content of an inbound event');
    return null;
  }
}

interface ToRead {
  provider: InboundProvider;
  verdict: { findings: { place: string; span: { start: number; end: number } }[] } | null;
  purged: boolean;
  operatorId: string;
  content: InboundContent | null;
}

async function readOf(
  { contentReader, log }: Context,
  { provider, verdict, purged, operatorId, content }: ToRead,
): Promise<Read> {
  if (purged) return notRead('purged', 'The content of this event is no longer kept.');
  if (content === null) return notRead('key_unavailable', 'No key of ENCRYPTION_KEY opens the content of this event.');
  const { contentType, body } = content;
  try {
    const input = { provider, contentType, body };
    const read = await contentReader.passages(input, verdict?.findings ?? [], operatorId);
    return { state: 'read', explanation: null, ...shown(read) };
  } catch (error) {
    log.warn({ err: error }, 'the content of an inbound event is shown as it came, since it could not be read');
    const explanation = `${whyRaw(error)}, so its beginning is shown as it came, without marks.`;
    return { state: 'raw', explanation, ...shown(beginningOf(body)) };
  }
}

/** A busy service can read it a moment later: that is no fault of the content. */
function whyRaw(error: unknown): string {
  if (error instanceof UnreadableBody) return 'It could not be read as a mail or JSON';
  if (error instanceof ScanTooSlow) return 'It takes too long to read';
  return 'The service is too busy to read it now (look again in a moment)';
}

const notRead = (state: 'purged' | 'key_unavailable', explanation: string): Read => ({
  state,
  explanation,
  passages: [],
  places_left_out: 0,
});

/** Bytes that are shown of what cannot be read. */
const RAW = 8_000;

function beginningOf(body: Uint8Array): PassagesOfBody {
  const text = new TextDecoder().decode(body.subarray(0, RAW));
  const parts = [{ text, findings: [], left_out: Math.max(0, body.length - RAW) }];
  return { passages: [{ place: '', parts }], places_left_out: 0 };
}

/** A sender chooses these texts and the names of places: nothing in them may be unseen, or turn the direction of what follows. */
const shown = ({ passages, places_left_out }: PassagesOfBody): PassagesOfBody => ({
  passages: passages.map(({ place, parts }): Passage => ({
    place: showUnseenInWords(place, codeOf),
    parts: parts.map((part) => ({ ...part, text: showUnseenInWords(part.text, codeOf) })),
  })),
  places_left_out,
});

import { Client, type Dispatcher } from 'undici';
import { parseStrictJson } from '../../src/json/strict.ts';
import type { ModelOutcome, ModelQuestion } from '../../src/models/model-caller.ts';
import type { ModelProvider } from '../../src/models/settings.ts';
import { endingOf, orAborted, within } from '../../src/outbound/within.ts';
import { withoutKey } from './without-key.ts';
import type { WireFormat } from './wire-format.ts';

/** Bytes of an answer beside what the model may write: what providers put around it has a few hundred. */
const FRAME_BYTES = 65_536;
/** Bytes of a token in an answer at most: four are usual, and in JSON each may be escaped as six. More is a provider that does not keep to the limit. */
const TOKEN_BYTES = 24;
/** Bytes of the headers of an answer, as Node's own client has it. */
const MAX_HEADER_BYTES = 16_384;

const unknown = (sentence: string): ModelOutcome => ({ outcome: 'unknown', sentence });

/**
 * Makes one call, on a connection of its own: one that was kept may be stale, and then a call would have failed that may not be repeated.
 * It does not go through the guarded client for addresses of users (`src/outbound`): the address is the platform's own setting, and a
 * model may well run inside of its network. A redirect is a refusal, since the key would go wherever it leads.
 */
export async function callOnce(
  format: WireFormat,
  { baseUrl, apiKey }: ModelProvider,
  question: ModelQuestion,
): Promise<ModelOutcome> {
  const { timeoutMs } = question;
  const key = question.apiKey ?? apiKey;
  const url = new URL(`${baseUrl}${format.path}`);
  const client = new Client(url.origin, {
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Its timeouts begin again with each byte that comes; the signal ends all.
    connect: { timeout: timeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  let isConnected = false;
  client.on('connect', () => (isConnected = true));
  try {
    return await within(timeoutMs, question.signal, async (signal) => {
      try {
        const request = client.request({
          path: url.pathname,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            'accept-encoding': 'identity',
            ...format.headers(key),
          },
          body: JSON.stringify(format.body(question)),
          reset: true,
        });
        return await orAborted(
          request.then(async (answer) => {
            const outcome = await outcomeOf(format, answer, FRAME_BYTES + question.maxTokens * TOKEN_BYTES);
            return outcome.outcome === 'answered' ? { ...outcome, text: withoutKey(outcome.text, key) } : outcome;
          }),
          signal,
        );
      } catch {
        // Errors of the client are not looked at: some repeat the request, with the key.
        const isLate = signal.aborted && endingOf(signal) === 'timeout';
        if (isConnected)
          return unknown(
            isLate ? 'The model did not answer in time.' : 'The connection to the provider of the model ended.',
          );
        return { outcome: 'not_sent', sentence: 'No connection to the provider of the model was made.' };
      }
    });
  } finally {
    void client.destroy();
  }
}

async function outcomeOf(
  format: WireFormat,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<ModelOutcome> {
  if (statusCode >= 300 && statusCode < 500)
    return { outcome: 'refused', sentence: `The provider of the model answered ${statusCode}.` };
  // A fault of the provider may come after the model has worked.
  if (statusCode !== 200) return unknown(`The provider of the model answered ${statusCode}.`);
  if (String(headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    return unknown('The answer of the provider of the model is compressed, which was not requested.');
  const bytes = await readWhole(body, maxBytes);
  if (bytes === null) return unknown(`The answer of the provider of the model has more than ${maxBytes} bytes.`);
  return readAnswer(format, bytes) ?? unknown('The answer of the provider of the model is not as its format says.');
}

/** @returns null where it is longer than an answer may be */
async function readWhole(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function readAnswer(format: WireFormat, bytes: Buffer): ModelOutcome | null {
  try {
    return format.read(parseStrictJson(bytes.toString('utf8')));
  } catch {
    return null;
  }
}

import { invalid } from '../errors/carnet-error.ts';
import type { JsonValue } from '../json/value.ts';
import type { Envelope } from './schema/envelope.ts';
import { isShaped } from './schema/payloads.ts';

/** The largest payloads, in bytes of JSON. */
const MAX_SHAPED_BYTES = 256 * 1024;
const MAX_SHAPELESS_BYTES = 64 * 1024;

/** @throws CarnetError VALIDATION_ERROR for a payload that is too large for its type. */
export function assertPayloadFits({ claim_type: type }: Envelope, payload: JsonValue | undefined): void {
  const limit = isShaped(type) ? MAX_SHAPED_BYTES : MAX_SHAPELESS_BYTES;
  if (payload === undefined || Buffer.byteLength(JSON.stringify(payload)) <= limit) return;
  throw invalid({
    path: 'payload',
    code: 'too_big',
    message: `must have at most ${limit / 1024} KiB as JSON for a claim of type ${type}`,
  });
}

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { eventKey } from '../../../src/inbound/receiver/event-key.ts';

type Identified = Parameters<typeof eventKey>[0];

/** Few texts, so that two requests often have one in common; among them what would be taken for another kind if kinds were not kept apart. */
const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'webhook_id\na', 'event_id\na', 'a\nb', '\n'),
  fc.string({ maxLength: 8 }),
);
const identified: fc.Arbitrary<Identified> = fc.record({
  signedId: fc.option(text, { freq: 2 }),
  token: fc.option(text, { freq: 2 }),
  deliveryId: fc.option(text, { freq: 2 }),
  eventId: fc.option(text, { freq: 2 }),
  messageId: fc.option(text, { freq: 2 }),
  body: fc.oneof(fc.constantFrom('{}', '{"a":1}', 'a'), fc.string({ maxLength: 8 })).map((body) => Buffer.from(body)),
});

/** Two requests that have some of their parts in common, often all but one. */
const pair = fc
  .tuple(
    identified,
    identified,
    fc.uniqueArray(fc.constantFrom('signedId', 'token', 'deliveryId', 'eventId', 'messageId', 'body')),
  )
  .map(([one, other, differing]): [Identified, Identified] => [
    one,
    { ...one, ...Object.fromEntries(differing.map((name) => [name, other[name as keyof Identified]])) },
  ]);

/** Returns what makes a request this event (decision I8): two requests are one event where this is the same. */
function identityOf({ signedId, token, deliveryId, eventId, messageId, body }: Identified): string[] {
  if (signedId !== null) return ['webhook_id', signedId];
  if (token !== null) return ['token', token];
  if (deliveryId !== null) return ['delivery', deliveryId];
  if (eventId !== null) return ['event_id', eventId];
  if (messageId !== null) return ['message_id', messageId, body.toString()];
  return ['body', body.toString()];
}

const keyOf = (request: Identified): string => eventKey(request).keyHash.toString('hex');

describe('The key of an event', () => {
  it('is the same for two requests where what identifies them is the same, and only there', () => {
    fc.assert(
      fc.property(pair, ([one, other]) => {
        const same = JSON.stringify(identityOf(one)) === JSON.stringify(identityOf(other));
        assert.equal(keyOf(one) === keyOf(other), same);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is of the first kind that is there, and changes with nothing behind it', () => {
    fc.assert(
      fc.property(identified, identified, (request, other) => {
        const [kind] = identityOf(request);
        assert.equal(eventKey(request).keyFrom, kind);
        const order = ['signedId', 'token', 'deliveryId', 'eventId', 'messageId'] as const;
        const decides = order.findIndex((name) => request[name] !== null);
        if (decides < 0) return;
        const behind = Object.fromEntries(order.slice(decides + 1).map((name) => [name, other[name]]));
        // A Message-ID counts together with the body: anybody can write it into another mail.
        const body = order[decides] === 'messageId' ? request.body : other.body;
        assert.equal(keyOf({ ...request, ...behind, body }), keyOf(request));
      }),
      { numRuns: 5_000 },
    );
  });

  it('has beside it the SHA-256 of the bytes, no matter what makes the key', () => {
    fc.assert(
      fc.property(identified, (request) => {
        const { bodyHash, keyHash } = eventKey(request);
        assert(bodyHash.equals(createHash('sha256').update(request.body).digest()));
        assert.equal(keyHash.length, 32);
      }),
    );
  });
});

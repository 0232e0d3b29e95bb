import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { CreatedEndpoint } from '../../../src/inbound/endpoints/schema.ts';
import { newId } from '../../../src/ids/ids.ts';
import { receiversOfSuite, type Behaviour, type ReceivedCall } from '../../notifications/support/receiver.ts';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { database, service } from '../../support/service.ts';
import { buildEndpoint, shownEndpoint } from '../endpoints/support.ts';
import { hexHeaders, HOSTILE, sendSigned, sendTo, standardHeaders, type InboundReply } from '../support/endpoints.ts';

/** Returns what a relay makes of a forward that it gets. */
type Relay = (
  forward: { body: string; headers: Record<string, string> },
  to: CreatedEndpoint,
) => {
  body: string;
  headers: Record<string, string>;
};

const pathOf = ({ receiver_url: url }: CreatedEndpoint) => ({ path: new URL(url).pathname });
const written = (body: string): string => JSON.stringify(JSON.parse(body), null, 1);

const RELAYS: Record<string, Relay> = {
  'sends the same bytes, with the same signature': ({ body, headers }) => ({ body, headers }),
  'signs the same bytes anew': ({ body }, { secret }) => ({ body, headers: standardHeaders(secret, body) }),
  'writes the same JSON anew, and signs it': ({ body }, { secret }) => ({
    body: written(body),
    headers: hexHeaders(secret, written(body)),
  }),
  'adds to it, and signs it': ({ body }, { secret }) => {
    const more = JSON.stringify({ note: 'seen', ...(JSON.parse(body) as object), event_type: 'forward' });
    return { body: more, headers: standardHeaders(secret, more) };
  },
  'sends something else, with the headers': ({ headers }, { secret }) => {
    const other = JSON.stringify({ n: newId('evt') });
    return { body: other, headers: { ...headers, ...standardHeaders(secret, other) } };
  },
};

/** Passes every forward on to an endpoint that `to` names later, and notes what that answers. */
function passingOn(relay: Relay, to: () => CreatedEndpoint, answers: InboundReply[]): Behaviour {
  const pass = async (answer: ServerResponse, { body, headers: received }: ReceivedCall): Promise<void> => {
    const kept = Object.entries(received).filter(([name]) => /^(content-type|x-service-)/.test(name));
    const sent = relay({ body, headers: Object.fromEntries(kept) as Record<string, string> }, to());
    const reply = await sendTo(service().baseUrl, pathOf(to()), { body: sent.body, headers: sent.headers });
    answers.push(reply);
    answer.writeHead(reply.status).end();
  };
  return (answer, call) => void pass(answer, call);
}

describe('A forward that comes back', function () {
  this.timeout(60_000);
  const { receiver, stopReceivers } = receiversOfSuite();
  let operator: TestOperator;
  let agentId: string;
  before(async () => {
    operator = await buildOperator();
    agentId = (await buildAgent(operator)).id;
  });
  after(() => stopReceivers());

  const used = async (): Promise<number> => {
    const pool = await database();
    return await pool.oneFirst(sql.type(z.object({ used: z.number() }))`
      select coalesce(sum(used), 0)::int as used from usage_counters where operator_id = ${operator.operatorId} and meter = 'metered_action'`);
  };
  const make = (overrides: Record<string, unknown> = {}): Promise<CreatedEndpoint> =>
    buildEndpoint(operator, { agent_id: agentId, ...overrides });

  for (const [what, relay] of Object.entries(RELAYS)) {
    for (const provider of ['generic', 'mail_provider']) {
      it(`is refused immediately by ${provider}, where a relay ${what}: A to itself, and A to B to A`, async () => {
        for (const round of ['itself', 'another']) {
          const answers: InboundReply[] = [];
          const made: CreatedEndpoint[] = [];
          const target = (index: number) => () => made[index] ?? assert.fail('no endpoint');
          const [toSecond, toFirst] = [
            await receiver(passingOn(relay, target(round === 'itself' ? 0 : 1), answers)),
            await receiver(passingOn(relay, target(0), answers)),
          ];
          // One secret for both, as with a provider that signs all of an account with one: the same bytes fit at either.
          const secret = `whsec_${Buffer.from(newId('evt')).toString('base64')}`;
          made.push(await make({ provider, secret, forward_url: toSecond.url }));
          made.push(await make({ provider, secret, forward_url: toFirst.url }));
          const [first, second] = [target(0)(), target(1)()];
          const before = await used();
          const body = JSON.stringify({ from: 'ada@example.com', text: 'Friday at ten?' });
          const reply = await sendTo(service().baseUrl, pathOf(first), {
            body,
            headers: standardHeaders(secret, body),
          });
          assert.deepEqual([reply.status, reply.body.status], [200, 'forward_failed']);
          assert.deepEqual(
            answers.map(({ status, body: { code } }) => [status, code]),
            [[409, 'FORWARD_LOOP']],
          );
          assert.match(answers[0]?.body.detail ?? '', new RegExp(reply.body.event_id ?? 'no id'));
          assert.equal((await used()) - before, 1, 'one metered action');
          const counted = await Promise.all([first, second].map(({ id }) => shownEndpoint(operator, id)));
          const rejected = round === 'itself' ? [1, 0] : [0, 1];
          assert.deepEqual(
            counted.map(({ counters: { received } }) => received),
            [1, 0],
          );
          assert.deepEqual(
            counted.map(({ counters }) => counters.rejected),
            rejected,
          );
          assert.deepEqual([toSecond.calls.length, toFirst.calls.length], [1, 0]);
        }
      });
    }
  }

  it('of another operator is refused as well, and what merely names or holds an event is none', async () => {
    const sink = await receiver();
    const from = await make({ forward_url: sink.url });
    const text = JSON.stringify({ n: 1 });
    const first = await sendTo(service().baseUrl, pathOf(from), {
      body: text,
      headers: standardHeaders(from.secret, text),
    });
    assert.equal(first.body.status, 'forwarded');
    const forward = sink.calls[0]?.body ?? '';
    const stranger = await buildOperator();
    const elsewhere = await buildEndpoint(stranger);
    const send = async (body: string, headers: Record<string, string> = {}) => {
      const signed = { ...standardHeaders(elsewhere.secret, body), ...headers };
      const { status } = await sendTo(service().baseUrl, pathOf(elsewhere), { body, headers: signed });
      return status;
    };
    assert.equal(await send(forward), 409);
    const { event_id: id, endpoint_id: endpointId } = JSON.parse(forward) as Record<string, string>;
    assert.equal(await send(JSON.stringify({ event_id: id, endpoint_id: endpointId })), 409);
    assert.equal(await send('{"n":2}', { 'x-service-event-id': id ?? '' }), 409);
    for (const other of [
      { event_id: id, done: true },
      { event_id: id, endpoint_id: elsewhere.id },
      { event_id: newId('iev'), endpoint_id: endpointId },
      { input: JSON.parse(forward) as unknown, output: 'Answered.' },
      [id, endpointId],
    ])
      assert.equal(await send(JSON.stringify(other)), 200, JSON.stringify(other));
    assert.equal(await send('{"n":3}', { 'x-service-event-id': newId('iev') }), 200);
  });

  it('is judged behind the signature: nobody learns which events there are', async () => {
    const sink = await receiver();
    const endpoint = await make({ forward_url: sink.url });
    const { baseUrl } = service();
    const sent = await sendSigned(baseUrl, { ...pathOf(endpoint), secret: endpoint.secret }, { payload: { n: 4 } });
    assert.equal(sent.body.status, 'forwarded');
    const id = sent.body.event_id ?? '';
    const named = JSON.stringify({ event_id: id, endpoint_id: endpoint.id });
    const signed = await sendTo(baseUrl, pathOf(endpoint), {
      body: named,
      headers: hexHeaders(endpoint.secret, named),
    });
    assert.equal(signed.status, 409, 'it is the forward that both of the next name');
    for (const [body, headers] of [
      [named, {}],
      ['{"n":5}', { 'x-service-event-id': id }],
    ] as const) {
      const unsigned = await sendTo(baseUrl, pathOf(endpoint), { body, headers });
      assert.deepEqual([unsigned.status, unsigned.body.code], [401, 'INVALID_SIGNATURE'], body);
    }
  });

  it('is not what names an event that was held, such as our own notification of it', async () => {
    const sink = await receiver();
    const endpoint = await make({ forward_url: sink.url });
    const { baseUrl } = service();
    const held = await sendSigned(
      baseUrl,
      { ...pathOf(endpoint), secret: endpoint.secret },
      { payload: { comment: HOSTILE } },
    );
    assert.equal(held.body.status, 'blocked');
    const id = held.body.event_id ?? '';
    const notification = { type: 'inbound.blocked', event_id: id, endpoint_id: endpoint.id, severity: 'critical' };
    const taken = await sendSigned(
      baseUrl,
      { ...pathOf(endpoint), secret: endpoint.secret },
      { payload: notification },
    );
    assert.deepEqual([taken.status, taken.body.status, sink.calls.length], [200, 'forwarded', 1]);
  });
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { CreatedEndpoint } from '../../../src/inbound/endpoints/schema.ts';
import type { InboundEvent } from '../../../src/inbound/events/schema.ts';
import { newId } from '../../../src/ids/ids.ts';
import { approveByHand, refusedWith, withApproval } from '../../governance/support.ts';
import { receiversOfSuite, type Receiver } from '../../notifications/support/receiver.ts';
import { buildAgent, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { eventually } from '../../support/eventually.ts';
import { signIn, type Person } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, service, type Requester } from '../../support/service.ts';
import { auditOf, buildEndpoint, ENDPOINTS, shownEndpoint } from '../endpoints/support.ts';
import type { Claim } from '../../../src/claims/schema/claim.ts';
import { HOSTILE, sendTo, standardHeaders } from '../support/endpoints.ts';

interface Page {
  events: InboundEvent[];
  next_cursor: string | null;
  has_more: boolean;
}

/** An address of the cloud's own, which is medium: the standard policy lets it pass. */
const MEDIUM = 'See http://169.254.169.254/latest/meta-data/ for it.';

async function send(endpoint: CreatedEndpoint, note: string): Promise<string> {
  const body = JSON.stringify({ note });
  const path = new URL(endpoint.receiver_url).pathname;
  const reply = await sendTo(service().baseUrl, { path }, { body, headers: standardHeaders(endpoint.secret, body) });
  assert.equal(reply.status, 200);
  return reply.body.event_id ?? assert.fail('no event');
}

describe('The events of an inbound endpoint', function () {
  this.timeout(60_000);
  const { receiver, stopReceivers } = receiversOfSuite();
  let operator: TestOperator;
  let person: Person;
  let agentId: string;
  let sink: Receiver;
  before(async () => {
    operator = await buildOperator();
    person = await signIn(operator.email);
    agentId = (await buildAgent(operator)).id;
    sink = await receiver();
  });
  after(() => stopReceivers());

  const make = (overrides: Record<string, unknown> = {}): Promise<CreatedEndpoint> =>
    buildEndpoint(operator, { agent_id: agentId, ...overrides });
  const eventsPath = ({ id }: { id: string }, more = ''): string => `${ENDPOINTS}/${id}/events${more}`;
  const list = async (endpoint: { id: string }, query = '', by: Requester = operator): Promise<Page> =>
    assertStatus(await by.get<Page>(eventsPath(endpoint, query)), 200);
  const idsOf = async (endpoint: { id: string }, query: string): Promise<string[]> =>
    (await list(endpoint, query)).events.map(({ id }) => id);
  const show = async (endpoint: { id: string }, id: string): Promise<InboundEvent> =>
    assertStatus(await operator.get<InboundEvent>(eventsPath(endpoint, `/${id}`)), 200);
  const replay = (
    endpoint: { id: string },
    id: string,
    { by = operator, headers }: { by?: Requester; headers?: Record<string, string> } = {},
  ) => by.post<InboundEvent>(eventsPath(endpoint, `/${id}/replay`), undefined, headers);
  const harmless = (
    endpoint: { id: string },
    id: string,
    { body, by = person, headers }: { body: unknown; by?: Requester; headers?: Record<string, string> },
  ) => by.post<InboundEvent>(eventsPath(endpoint, `/${id}/harmless`), body, headers);
  const ended = (endpoint: { id: string }, id: string, attempt: number): Promise<InboundEvent> =>
    eventually('the attempt to be over', async () => {
      const event = await show(endpoint, id);
      return event.attempt === attempt && event.ended_at !== null ? event : undefined;
    });
  const run = async (statement: ReturnType<typeof sql.unsafe>): Promise<void> => {
    await (await database()).query(statement);
  };

  it('require authentication', async () => {
    const endpoint = { id: newId('inw') };
    const id = newId('iev');
    assertProblem(await anonymous().get(eventsPath(endpoint)), 'UNAUTHENTICATED');
    assertProblem(await anonymous().get(eventsPath(endpoint, `/${id}`)), 'UNAUTHENTICATED');
    assertProblem(await replay(endpoint, id, { by: anonymous() }), 'UNAUTHENTICATED');
    assertProblem(await harmless(endpoint, id, { body: { finding: 0 }, by: anonymous() }), 'UNAUTHENTICATED');
  });

  describe('GET /v1/operator/inbound-webhooks/:id/events', () => {
    let endpoint: CreatedEndpoint;
    let clean: string;
    let medium: string;
    let hostile: string;
    before(async () => {
      endpoint = await make({ forward_url: sink.url });
      clean = await send(endpoint, 'Two boxes, please.');
      medium = await send(endpoint, MEDIUM);
      hostile = await send(endpoint, HOSTILE);
      await send(await make(), 'of another endpoint');
    });

    it('lists them newest first, by pages, each as it is shown alone', async () => {
      const first = await list(endpoint, '?limit=2');
      assert.deepEqual([first.events.map(({ id }) => id), first.has_more], [[hostile, medium], true]);
      const second = await list(endpoint, `?limit=2&cursor=${encodeURIComponent(first.next_cursor ?? '')}`);
      assert.deepEqual(
        [second.events.map(({ id }) => id), second.has_more, second.next_cursor],
        [[clean], false, null],
      );
      for (const event of [...first.events, ...second.events]) assert.deepEqual(event, await show(endpoint, event.id));
    });

    it('filters them by status, verdict, detector and time', async () => {
      const { received_at: at } = await show(endpoint, medium);
      const later = new Date(Date.parse(at) + 1).toISOString();
      const cases: [query: string, expected: string[]][] = [
        ['?status=blocked', [hostile]],
        ['?status=forwarded', [medium, clean]],
        ['?status=failed', []],
        ['?verdict=clean', [clean]],
        ['?verdict=suspicious', [medium]],
        ['?verdict=malicious', [hostile]],
        ['?detector_key=private_url', [medium]],
        ['?detector_key=instruction_override', [hostile]],
        ['?detector_key=nothing', []],
        ['?status=forwarded&verdict=suspicious', [medium]],
        [`?since=${later}`, [hostile]],
        [`?until=${at}`, [clean]],
        [`?since=${at}&until=${later}`, [medium]],
      ];
      for (const [query, expected] of cases) assert.deepEqual(await idsOf(endpoint, query), expected, query);
    });

    it('keeps the filter from page to page, and refuses a cursor of another one or of another endpoint', async () => {
      const { next_cursor: cursor } = await list(endpoint, '?limit=1&status=forwarded');
      const at = `cursor=${encodeURIComponent(cursor ?? '')}`;
      assert.deepEqual(await idsOf(endpoint, `?limit=1&status=forwarded&${at}`), [clean]);
      assertProblem(await operator.get(eventsPath(endpoint, `?limit=1&status=blocked&${at}`)), 'INVALID_CURSOR');
      assertProblem(await operator.get(eventsPath(await make(), `?limit=1&status=forwarded&${at}`)), 'INVALID_CURSOR');
    });

    it('refuses what is no filter, and an endpoint that there is not or that is another operator’s', async () => {
      for (const query of ['?status=gone', '?verdict=bad', '?since=yesterday', `?detector_key=${'x'.repeat(101)}`])
        assertProblem(await operator.get(eventsPath(endpoint, query)), 'VALIDATION_ERROR');
      assertProblem(await operator.get(eventsPath({ id: newId('inw') })), 'NOT_FOUND');
      assertProblem(await (await buildOperator()).get(eventsPath(endpoint)), 'NOT_FOUND');
    });
  });

  describe('GET /v1/operator/inbound-webhooks/:id/events/:eventId', () => {
    it('shows one with its verdict and its forward, and nothing of what came', async () => {
      const endpoint = await make({ forward_url: sink.url });
      const note = unique('recognisable');
      const id = await send(endpoint, note);
      const reply = await operator.get<InboundEvent>(eventsPath(endpoint, `/${id}`));
      const event = assertStatus(reply, 200);
      const body = JSON.stringify({ note });
      const { received_at, scanned_at, ended_at, forwards, ...rest } = event;
      assert.deepEqual(rest, {
        id,
        endpoint_id: endpoint.id,
        agent_id: agentId,
        provider: 'generic',
        status: 'forwarded',
        reason: null,
        error: null,
        attempt: 1,
        verdict: { verdict: 'clean', severity: 'none', findings: [] },
        harmless: [],
        claim_ids: [],
        classification: 'none',
        scheme: 'standard_webhooks',
        body_authenticated: true,
        body_sha256: createHash('sha256').update(body).digest('hex'),
        size: body.length,
        content_kept: true,
      });
      const [{ status, status_code, attempt } = {}, ...more] = forwards;
      assert.deepEqual([status, status_code, attempt, more], ['forwarded', 200, 1, []]);
      for (const time of [received_at, scanned_at, ended_at]) assert(Date.parse(time ?? '') > 0);
      assert(!reply.text.includes(note));
    });

    it('names the claims that are evidence of what was found, of every attempt', async () => {
      const endpoint = await make();
      const id = await send(endpoint, `${HOSTILE} ${MEDIUM}`);
      const { verdict, claim_ids: first } = await show(endpoint, id);
      assert.equal(first.length, new Set(verdict?.findings.map(({ detector_key: key }) => key)).size);
      for (const claimId of first) {
        const { envelope } = assertStatus(await operator.get<Claim>(`/v1/claims/${claimId}`), 200);
        const { metadata } = envelope.payload as { metadata: { event_id: string } };
        assert.deepEqual([envelope.claim_type, metadata.event_id], ['detector_signal', id]);
      }
      assert.deepEqual(assertStatus(await replay(endpoint, id, { by: person }), 200).claim_ids, first);
      const { claim_ids: both } = await ended(endpoint, id, 2);
      // Within one second the same statement is the same claim.
      assert.deepEqual([both.slice(0, first.length), new Set(both).size], [first, both.length]);
    });

    it('shows one whose content was purged, without a way to replay it', async () => {
      const endpoint = await make();
      const id = await send(endpoint, 'old');
      const before = await show(endpoint, id);
      await run(sql.type(z.object({}))`delete from inbound_contents where event_id = ${id}`);
      assert.deepEqual(await show(endpoint, id), { ...before, content_kept: false });
      const refused = await replay(endpoint, id);
      assertProblem(refused, 'INVALID_STATE');
      assert.match(refused.text, /no longer kept/);
    });

    it('is 404 for one that there is not, at another endpoint, and of another operator', async () => {
      const endpoint = await make();
      const other = await make();
      const id = await send(endpoint, 'mine');
      for (const path of [eventsPath(endpoint, `/${newId('iev')}`), eventsPath(other, `/${id}`)])
        assertProblem(await operator.get(path), 'NOT_FOUND');
      assertProblem(await (await buildOperator()).get(eventsPath(endpoint, `/${id}`)), 'NOT_FOUND');
    });
  });

  describe('POST …/replay', () => {
    it('scans again and forwards once more, under the same id', async () => {
      const url = sink.urlOf(newId('evt'));
      const endpoint = await make({ forward_url: url });
      const id = await send(endpoint, 'again, please');
      const begun = assertStatus(await replay(endpoint, id), 200);
      assert.deepEqual([begun.status, begun.attempt, begun.verdict], ['received', 2, null]);
      const event = await ended(endpoint, id, 2);
      assert.deepEqual(
        [event.status, event.forwards.map(({ attempt, status }) => [attempt, status])],
        [
          'forwarded',
          [
            [1, 'forwarded'],
            [2, 'forwarded'],
          ],
        ],
      );
      const bodies = sink.callsAt(url).map(({ body }) => body);
      assert.deepEqual([bodies.length, new Set(bodies).size], [2, 1]);
      const { received, forwarded, clean } = (await shownEndpoint(operator, endpoint.id)).counters;
      assert.deepEqual([received, forwarded, clean], [1, 2, 1]);
      assert.deepEqual(
        (await auditOf(id)).map(({ action }) => action),
        ['inbound_event.replayed'],
      );
    });

    it('of what was held needs a person, and forwards it no more than before', async () => {
      const url = sink.urlOf(newId('evt'));
      const endpoint = await make({ forward_url: url });
      const id = await send(endpoint, HOSTILE);
      const refused = await replay(endpoint, id);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.equal((await show(endpoint, id)).attempt, 1);
      const { approval_id: approval } = refusedWith(refused);
      await approveByHand(approval);
      assertStatus(await replay(endpoint, id, { by: operator, headers: withApproval(approval) }), 200);
      assert.equal((await ended(endpoint, id, 2)).status, 'blocked');
      assertProblem(
        await replay(endpoint, id, { by: operator, headers: withApproval(approval) }),
        'GOVERNANCE_APPROVAL_REQUIRED',
      );
      assertStatus(await replay(endpoint, id, { by: person }), 200);
      assert.equal((await ended(endpoint, id, 3)).status, 'blocked');
      assert.equal(sink.callsAt(url).length, 0);
    });

    it('is 409 while it is worked on, 410 at a revoked endpoint, 404 elsewhere', async () => {
      const endpoint = await make();
      const id = await send(endpoint, 'mine');
      assertProblem(await replay(await make(), id), 'NOT_FOUND');
      assertProblem(await replay(endpoint, newId('iev')), 'NOT_FOUND');
      assertProblem(await replay(endpoint, id, { by: await buildOperator() }), 'NOT_FOUND');
      // No life looks at it: nobody left it a message.
      await run(sql.type(z.object({}))`
        update inbound_events set status = 'received', ended_at = null, verdict = null, severity = null, findings = null, scanned_at = null,
          attempted_at = now() + interval '1 hour' where id = ${id}`);
      assertProblem(await replay(endpoint, id), 'INVALID_STATE');
      assertStatus(await operator.delete(`${ENDPOINTS}/${endpoint.id}`), 200);
      assertProblem(await replay(endpoint, id), 'ENDPOINT_REVOKED');
    });
  });

  describe('POST …/harmless', () => {
    it('keeps the mark of a person through replays, and counts it once', async () => {
      const endpoint = await make();
      const id = await send(endpoint, `${HOSTILE} ${MEDIUM}`);
      const { verdict } = await show(endpoint, id);
      const count = verdict?.findings.length ?? 0;
      assert(count >= 2, JSON.stringify(verdict));
      const last = count - 1;
      for (const time of [1, 2])
        assert.deepEqual(
          assertStatus(await harmless(endpoint, id, { body: { finding: last } }), 200).harmless,
          [last],
          `${time}`,
        );
      assert.deepEqual(assertStatus(await harmless(endpoint, id, { body: { finding: 0 } }), 200).harmless, [0, last]);
      const { verdict: after } = await show(endpoint, id);
      assert.deepEqual(after, verdict, 'a mark changes no verdict');
      const begun = assertStatus(await replay(endpoint, id, { by: person }), 200);
      assert.deepEqual(begun.harmless, [], 'nothing is found yet');
      assert.deepEqual((await ended(endpoint, id, 2)).harmless, [0, last]);
      assertStatus(await harmless(endpoint, id, { body: { finding: 0 } }), 200);
      assert.equal((await shownEndpoint(operator, endpoint.id)).counters.marked_harmless, 2);
      // The scanner of another release finds the same in another order, and something before it.
      await run(sql.type(z.object({}))`
        update inbound_events set findings = jsonb_build_array(jsonb_build_object('detector_key', 'hidden_text', 'severity', 'high', 'place', '/x',
          'span', jsonb_build_object('start', 0, 'end', 1), 'reason', 'It is hidden.'), findings -> ${last}::int) where id = ${id}`);
      assert.deepEqual((await show(endpoint, id)).harmless, [1]);
    });

    it('needs a person: a key marks nothing without an approval', async () => {
      const endpoint = await make();
      const id = await send(endpoint, HOSTILE);
      const refused = await harmless(endpoint, id, { body: { finding: 0 }, by: operator });
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.deepEqual((await show(endpoint, id)).harmless, []);
      const { approval_id: approval } = refusedWith(refused);
      await approveByHand(approval);
      const headers = withApproval(approval);
      const marked = await harmless(endpoint, id, { body: { finding: 0 }, by: operator, headers });
      assert.deepEqual(assertStatus(marked, 200).harmless, [0]);
    });

    it('is 404 for a finding and an event that there are not, and 400 for what is no number', async () => {
      const endpoint = await make();
      const id = await send(endpoint, 'Two boxes, please.');
      assertProblem(await harmless(endpoint, id, { body: { finding: 0 } }), 'NOT_FOUND');
      assertProblem(await harmless(endpoint, newId('iev'), { body: { finding: 0 } }), 'NOT_FOUND');
      assertProblem(await harmless(await make(), id, { body: { finding: 0 } }), 'NOT_FOUND');
      for (const finding of [-1, 50, 0.5, '0', null])
        assertProblem(await harmless(endpoint, id, { body: { finding } }), 'VALIDATION_ERROR');
    });
  });
});

import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { slackChannel } from '../../../src/notifications/channels/slack/channel.ts';
import { unique } from '../../support/factories.ts';
import { eventually } from '../../support/eventually.ts';
import { assertProblem, assertStatus, database } from '../../support/service.ts';
import {
  buildRule,
  buildWatched,
  codeIn,
  create,
  DESTINATIONS,
  enter,
  made,
  shown,
  type Watched,
} from '../support/operators.ts';
import { recordEvents } from '../support/destinations.ts';
import { startReceiver, type Behaviour, type Receiver } from '../support/receiver.ts';

/** The parts of Slack's documented message that we send. */
const Message = z.strictObject({
  text: z.string().min(1).max(40_000),
  mrkdwn: z.literal(false),
  unfurl_links: z.literal(false),
  unfurl_media: z.literal(false),
});

/** Slack unescapes three entities, and reads what stands between < and > as its own. */
const read = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Answers by the token of the URL, as Slack's documentation lists its errors. */
const ANSWERS: Record<string, readonly [status: number, word: string, reason: string, counts: boolean]> = {
  goneservice: [404, 'no_service', 'refused', true],
  archived00: [410, 'channel_is_archived', 'refused', true],
  forbidden0: [403, 'action_prohibited', 'refused', true],
  badpayload: [400, 'invalid_payload', 'not_taken', false],
  toomany000: [429, 'rate_limited', 'rate_limited', false],
  rolluperro: [500, 'rollup_error', 'http_status', true],
};

const slack: Behaviour = (answer, { path, body }) => {
  const token = path.split('/').at(-1) ?? '';
  const [status, word] = ANSWERS[token] ?? [
    200,
    Message.safeParse(JSON.parse(body)).success ? 'ok' : 'invalid_payload',
  ];
  answer.writeHead(word === 'invalid_payload' ? 400 : status, { 'content-type': 'text/plain' }).end(word);
};

describe('The channel slack', () => {
  let watched: Watched;
  let receiver: Receiver;
  before(async () => {
    watched = await buildWatched();
    receiver = await startReceiver(slack);
  });
  after(() => receiver.stop());

  const urlOf = (
    token: string,
    app = unique('B')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]/g, ''),
  ): string => receiver.urlOf(`services/T0001/${app}/${token}`);
  const newToken = (): string =>
    unique('token')
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .padEnd(10, '0');
  const textAt = (url: string, number = 1): Promise<string> =>
    eventually(`a message at ${url}`, () => {
      const call = receiver.callsAt(url)[number - 1];
      return call && read(Message.parse(JSON.parse(call.body)).text);
    });
  const verified = async (url: string) => {
    const destination = await made(watched.owner, 'slack', url);
    const code = codeIn({ text: await textAt(url) } as Parameters<typeof codeIn>[0]);
    assertStatus(await enter(watched.owner, destination.id, code), 200);
    return destination;
  };

  it('is verified by a code in the channel, and its URL is in no answer and no column', async () => {
    const token = newToken();
    const url = urlOf(token);
    const destination = await verified(url);
    assert.equal(destination.destination, `${url.slice(0, -token.length)}…`);
    assert.equal(destination.webhook_secret, undefined);
    assert.equal((await shown(watched.operator, destination.id)).verified, true);
    const pool = await database();
    const row = await pool.oneFirst(
      sql.type(z.object({ row: z.string() }))`select d::text as row from destinations d where id = ${destination.id}`,
    );
    assert(!row.includes(token));
  });

  it('is one destination for each URL', async () => {
    const url = urlOf(newToken());
    const { id } = await made(watched.owner, 'slack', url);
    const again = await create(watched.owner, { channel: 'slack', destination: url });
    assertProblem(again, 'DESTINATION_EXISTS');
    assert.equal((again.body as { destination_id?: string }).destination_id, id);
  });

  it('has no secret to rotate', async () => {
    const { id } = await made(watched.owner, 'slack', urlOf(newToken()));
    assertProblem(await watched.owner.post(`${DESTINATIONS}/${id}/rotate-secret`), 'VALIDATION_ERROR');
  });

  for (const destination of [
    'https://example.com/services/T0001/B0001/abcdefghij',
    'https://hooks.slack.com/services/T0001/B0001',
    'https://hooks.slack.com/services/T0001/B0001/abcdefghij?x=1',
    'https://hooks.slack.com:8443/services/T0001/B0001/abcdefghij',
    'https://hooks.slack.com.example.com/services/T0001/B0001/abcdefghij',
    'http://hooks.slack.com/services/T0001/B0001/abcdefghij',
    'https://hooks.slack.com/workflows/T0001/A0001/1/abcdefghij',
  ]) {
    it(`refuses ${destination}`, async () => {
      assertProblem(await create(watched.owner, { channel: 'slack', destination }), 'VALIDATION_ERROR');
    });
  }

  it('takes the address that Slack makes, without a call', async () => {
    const outbound = createOutbound({ allowLoopback: false, publicBaseUrl: 'https://carnet.example.com' });
    for (const host of ['hooks.slack.com', 'hooks.slack-gov.com']) {
      const url = `https://${host}/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX`;
      assert.equal(await slackChannel.normalise({ outbound }, url), url);
    }
  });

  it('posts what happened, with nothing that Slack would take for a mention, a link or a format of its own', async () => {
    const url = urlOf(newToken());
    const { id, operator_id: operatorId } = await verified(url);
    await buildRule(watched.owner, watched.operator, { destination_ids: [id], events: ['agent.blocked'] });
    const reason = '<!channel> *now* & <https://example.com|look>';
    const { delivery } = await contextOf();
    await recordEvents({ pool: await database(), delivery }, operatorId, {
      type: 'agent.blocked',
      payload: { reason },
    });
    const text = await textAt(url, 2);
    assert(text.includes(`“${reason}”`), text);
    const { text: raw } = Message.parse(JSON.parse(receiver.callsAt(url)[1]?.body ?? ''));
    assert(!/[<>]/.test(raw));
  });

  for (const [token, [status, word, reason, counts]] of Object.entries(ANSWERS)) {
    it(`takes ${status} ${word} for ${reason}`, async () => {
      const { id } = await made(watched.owner, 'slack', urlOf(token));
      const pool = await database();
      await pool.query(
        sql.type(z.object({}))`update destinations set verified_at = clock_timestamp() where id = ${id}`,
      );
      const tested = assertStatus(
        await watched.owner.post<{ status: string; reason: string; status_code: number }>(`${DESTINATIONS}/${id}/test`),
        200,
      );
      assert.deepEqual([tested.status, tested.reason, tested.status_code], ['failed', reason, status]);
      assert.equal((await shown(watched.owner, id)).failures_in_row, counts ? 1 : 0);
    });
  }
});

/** Its life is woken by the look at rows: nobody has to be told. */
const contextOf = async () => ({
  delivery: { messagesCommitted: () => {}, begin: async () => {}, newestRun: async () => null },
});

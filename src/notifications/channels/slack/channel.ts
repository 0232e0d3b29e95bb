import { DELIVERED, notDelivered, outcomeOfCall, type Sending } from '../../../outbound/outcomes.ts';
import type { SendOutcome } from '../../../outbound/index.ts';
import { provenByCode, refusedAddress, type Channel, type SenderContext } from '../channel.ts';
import { codeLine } from '../code-line.ts';
import { textOf } from '../event-text.ts';
import { destinationSecrets } from '../secrets.ts';
import { isSlackUrl, shownSlackUrl } from './address.ts';

/** Milliseconds for the whole call, as webhooks have (decision N10). */
const CALL_MS = 10_000;
/** Slack answers with one word. */
const REPLY_BYTES = 4_096;

/**
 * An incoming webhook of Slack, which posts to one channel. It has no signature: a person or program that has its URL can post, so it is kept as a
 * secret. An app with OAuth would need a platform that Slack knows, and every installation an app of its own.
 */
export const slackChannel: Channel = {
  ...provenByCode,
  words: {
    kind: 'Slack',
    address: 'URL of an incoming webhook',
    hint: 'Slack makes it for one channel, which gets six digits. It is kept as a secret: pages show its beginning alone.',
    example: 'https://hooks.slack.com/services/T…/B…/…',
  },
  isPaid: true,
  signs: false,
  assertConfigured: () => {},
  async normalise({ outbound }, destination) {
    const url = outbound.parse(destination);
    if (url.outcome === 'refused') return refusedAddress(url.sentence, url.rule);
    return isSlackUrl(new URL(url.href))
      ? url.href
      : refusedAddress('must be the URL of an incoming webhook, as https://hooks.slack.com/services/T…/B…/…');
  },
  keep: ({ mac }, { normalised }) => ({
    destination: shownSlackUrl(new URL(normalised)),
    // Equal URLs are found by it, unless the first key of ENCRYPTION_KEY was replaced between them, and nobody reads the URL from it.
    address: mac(normalised, 'destination-address'),
    secret: normalised,
  }),
  code: {
    by: 'call',
    callOf: (context, code) => callOf(context, code, codeLine(code)),
  },
  callOf: (context, delivery) => callOf(context, delivery, textOf(context, delivery).mail),
  isFaultOfReceiver: (reason) => !NOT_ITS_FAULT.has(reason),
  nameOf: ({ destination_id: id }) => `slack destination ${id}`,
};

interface Called {
  destination_id: string;
  secret: string | null;
  old_secret: string | null;
}

function callOf(
  { encryption, outbound }: SenderContext,
  { destination_id: id, secret, old_secret }: Called,
  text: string,
) {
  const [url] = destinationSecrets.decrypt(encryption, { id, secret, old_secret });
  const body = JSON.stringify({ text: escaped(text), mrkdwn: false, unfurl_links: false, unfurl_media: false });
  return async () => {
    const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Carnet-Notifications/1' };
    return outcomeOfSlack(await outbound.send({ url, headers, body, timeoutMs: CALL_MS, maxReplyBytes: REPLY_BYTES }));
  };
}

/** The three characters that Slack reads as its own: links, mentions and commands begin with one of them. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Words of Slack about a webhook that will never take anything again (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
const FOR_GOOD: ReadonlySet<string> = new Set([
  'no_service',
  'no_service_id',
  'no_team',
  'team_disabled',
  'invalid_token',
  'channel_not_found',
  'channel_is_archived',
  'user_not_found',
  'action_prohibited',
  'posting_to_general_channel_denied',
]);
const NOT_ITS_FAULT: ReadonlySet<string | null> = new Set([
  'internal_error',
  'dns_failed',
  'not_taken',
  'rate_limited',
]);

function outcomeOfSlack(answer: SendOutcome): Sending {
  if (answer.outcome !== 'answered') return outcomeOfCall(answer);
  const { status: statusCode, replyText } = answer;
  if (statusCode === 200) return { ...DELIVERED, statusCode };
  const word = /^[a-z_]{1,40}$/.exec(replyText.trim())?.[0];
  if (statusCode === 429) {
    const error = 'Slack takes about a message a second at one webhook, and did not take this one.';
    return { ...notDelivered({ status: 'failed', reason: 'rate_limited', error }), statusCode };
  }
  if (word !== undefined && FOR_GOOD.has(word)) {
    const error = `Slack refused it (${word}): look whether the webhook and its channel are still there.`;
    return { ...notDelivered({ status: 'refused', reason: 'refused', error }), statusCode };
  }
  if (statusCode >= 400 && statusCode < 500) {
    const error = `Slack did not take it${word === undefined ? '' : ` (${word})`}.`;
    return { ...notDelivered({ status: 'failed', reason: 'not_taken', error }), statusCode };
  }
  return outcomeOfCall(answer);
}

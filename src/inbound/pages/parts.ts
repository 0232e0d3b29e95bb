import { html, type Html } from '../../http/pages/html.ts';
import { shares } from '../../console/charts.ts';
import { badge } from '../../console/parts.ts';
import { HOME } from '../../console/places.ts';
import type { Endpoint } from '../endpoints/schema.ts';
import type { InboundEvent } from '../events/schema.ts';

export const INBOUND_PATH = `${HOME}/inbound`;
export const INBOUND_EVENTS_PATH = `${HOME}/inbound-events`;

const providerWords: Readonly<Record<Endpoint['provider'], { name: string; hint: string }>> = {
  mail_provider: {
    name: 'Mail',
    hint: 'A service that receives mail and sends it on as webhooks: Mailgun, Resend and others that sign by Standard Webhooks or Svix.',
  },
  generic: { name: 'Any webhook', hint: 'Whoever signs by Standard Webhooks, or by the hex HMAC of the body.' },
  github: {
    name: 'GitHub',
    hint: 'Webhooks of repositories, organisations and apps, with JSON or a form as content type.',
  },
};
export const wordsOf = (provider: Endpoint['provider']) => providerWords[provider];

export const endpointName = ({ name, provider }: Pick<Endpoint, 'name' | 'provider'>): string =>
  name ?? wordsOf(provider).name;

/** How an endpoint stands; `held back`: its receiver hangs, and nothing is forwarded to it for a while. */
export function endpointState({
  status,
  held_until: held,
  slow_since: slow,
}: Pick<Endpoint, 'status' | 'held_until' | 'slow_since'>): Html {
  if (status === 'revoked') return badge('revoked');
  if (held !== null && Date.parse(held) > Date.now()) return badge('receiver held back', 'warning');
  return slow === null ? badge('active') : badge('receiver slow', 'warning');
}

const eventTones: Readonly<Partial<Record<InboundEvent['status'], string>>> = {
  received: 'info',
  scanning: 'info',
  recorded: 'good',
  forwarded: 'good',
  blocked: 'warning',
  forward_failed: 'error',
  forward_blocked: 'error',
  revoked: 'warning',
  failed: 'error',
};
/** `blocked` is what the policy holds: people know it as held. */
export const eventBadge = (status: InboundEvent['status']): Html =>
  badge(status === 'blocked' ? 'held' : status, eventTones[status]);

export const verdictBadge = (verdict: InboundEvent['verdict']): Html =>
  verdict === null
    ? html`–`
    : badge(verdict.verdict, { clean: 'good', suspicious: 'warning', malicious: 'error' }[verdict.verdict]);

/** The outcome of all that came, in one line: allowed, held, not forwarded, refused. */
export const cameLine = ({ counters }: Pick<Endpoint, 'counters'>): Html => {
  const { received, blocked, forward_failed: failed, rejected } = counters;
  return shares([
    { value: Math.max(0, received - blocked - failed), tone: 'good' },
    { value: blocked, tone: 'warning' },
    { value: failed, tone: 'error' },
    { value: rejected, tone: 'muted' },
  ]);
};

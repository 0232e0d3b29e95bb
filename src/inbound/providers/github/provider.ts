import { createHmac, randomUUID } from 'node:crypto';
import { UnreadableBody } from '../../reading/errors.ts';
import type { SentBody } from '../../reading/body.ts';
import { isForm, readForm } from '../../reading/form.ts';
import { parseJsonBody } from '../../reading/json.ts';
import { keysOfJson } from '../../reading/keys.ts';
import { bodyOfJson } from '../../reading/whole-json.ts';
import type { JsonValue } from '../../../json/value.ts';
import type { Provider } from '../provider.ts';
import { hexIn } from '../schemes.ts';

const SIGNATURE = 'x-hub-signature-256';
/** A GUID, the same when GitHub sends a delivery again. */
const DELIVERY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Webhooks of repositories, organisations and apps. A `ping`, which GitHub sends once the webhook is made, is an event as any other. */
export const githubProvider: Provider = {
  // GitHub sends no payload above 25 MiB; those of people are far below one.
  bodyLimit: 10 * 1_048_576,
  // GitHub gives up after ten seconds, and sends nothing again by itself.
  waitSeconds: 8,
  schemes: [hexIn(SIGNATURE)],
  deliveryIdOf(headers) {
    const [id, ...more] = headers['x-github-delivery'] ?? [];
    return id !== undefined && more.length === 0 && DELIVERY.test(id) ? id.toLowerCase() : null;
  },
  identify: (sent) => keysOfJson(payloadOf(sent)),
  /** Titles, texts, comments, messages of commits, names of branches: people write all of them, so every text is scanned. */
  read: async (sent) => bodyOfJson(payloadOf(sent)),
  sample({ secret, eventId }, { subject, text }) {
    const body = JSON.stringify({
      action: 'opened',
      issue: { node_id: `I_${eventId}`, number: 7, title: subject, body: text, user: { login: 'octocat' } },
      repository: { full_name: 'octocat/hello-world' },
      sender: { login: 'octocat' },
    });
    return {
      headers: {
        'Content-Type': 'application/json',
        'X-GitHub-Event': 'issues',
        'X-GitHub-Delivery': randomUUID(),
        'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
      body,
    };
  },
};

/** JSON, or a form with JSON in its field `payload`, as the webhook is set. @throws UnreadableBody */
function payloadOf({ contentType, body }: SentBody): JsonValue {
  // Nobody signs the Content-Type, and no form of GitHub begins with a brace.
  if (body[0] === 0x7b || !isForm(contentType)) return parseJsonBody(body);
  const payload = readForm(contentType, body).fields.get('payload');
  if (payload === undefined) throw new UnreadableBody('The form has no field payload.');
  return parseJsonBody(Buffer.from(payload));
}

import { html } from '../../http/pages/html.ts';
import { copyable } from '../../console/parts.ts';

/** As the page about receiving webhooks has it, which tests run in both languages. */
export const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto';

type Headers = Record<string, string | undefined>;

const same = (one: string, other: string): boolean =>
  Buffer.byteLength(one) === Buffer.byteLength(other) && timingSafeEqual(Buffer.from(one), Buffer.from(other));

export function fits(secret: string, headers: Headers, raw: Buffer): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': sentAt = '', 'webhook-signature': signatures = '' } = headers;
  if (!/^\\d+$/.test(sentAt) || Math.abs(Date.now() / 1000 - Number(sentAt)) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = createHmac('sha256', key).update(\`\${id}.\${sentAt}.\`).update(raw).digest('base64');
  return signatures.split(' ').some((signature) => same(signature, \`v1,\${wanted}\`));
}
`;

export const PYTHON = `import base64, hashlib, hmac, time

def fits(secret, headers, raw):
    sent_at = headers.get("webhook-timestamp", "")
    if not (sent_at.isascii() and sent_at.isdigit()) or abs(time.time() - int(sent_at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f'{headers.get("webhook-id", "")}.{sent_at}.'.encode() + raw
    wanted = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    return any(hmac.compare_digest(signature.encode(), wanted) for signature in headers.get("webhook-signature", "").split(" "))
`;

const headers = [
  ['webhook-id', 'the id of the event; a redelivery has the same one'],
  ['webhook-timestamp', 'when the request was sent, in seconds'],
  [
    'webhook-signature',
    '“v1,” and the base64 of HMAC-SHA256 over id.timestamp.body; two of them for a day after the secret is replaced',
  ],
  ['X-Service-Signature', 'the hex of HMAC-SHA256 over the body alone, keyed with the whole secret'],
] as const;

/** The duties of who receives a webhook, ready to copy. */
export const receiverCard = html`<section class="card"><h2>What the receiver must do</h2>
<ol>
<li>Take the raw bytes of the body.</li>
<li>Check the signature by these lines, and refuse with 401 what does not fit.</li>
<li>Store the event under its <code>webhook-id</code>, and answer 2xx within ten seconds. An id that is stored already is answered 2xx, and nothing more is done.</li>
<li>Work on it afterwards.</li>
</ol>
<dl class="facts">
${headers.map(([name, meaning]) => html`<dt><code>${name}</code></dt><dd>${meaning}</dd>\n`)}</dl>
<details><summary>TypeScript, for Node</summary>${copyable(NODE)}</details>
<details><summary>Python</summary>${copyable(PYTHON)}</details>
</section>
`;

/** Headers of providers that are kept and forwarded (decision I18): what the event is, never what opens a door. */
const KEPT: ReadonlySet<string> = new Set([
  'content-type',
  'date',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
  'svix-id',
  'svix-timestamp',
  'x-request-id',
  'x-github-event',
  'x-github-delivery',
  'x-event-type',
  'x-event-id',
  'x-topic',
  'x-webhook-topic',
  'x-shopify-topic',
  'x-mailgun-variables',
  'ce-id',
  'ce-source',
  'ce-specversion',
  'ce-time',
  'ce-type',
]);
/** Characters of a value; longer ones are left out. */
const LONGEST = 2_048;

/** Of the headers of a request those that may be forwarded; several of one name are joined as HTTP does. */
export function forwardedHeaders(headers: NodeJS.ReadOnlyDict<string[]>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, values = []] of Object.entries(headers)) {
    const value = values.join(', ');
    if (KEPT.has(name) && value.length <= LONGEST) kept[name] = value;
  }
  return kept;
}

/** Headers of providers that are kept and forwarded: what the event is, never what opens a door. */
const KEPT: ReadonlySet<string> = new Set([
  'content-type',
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
  'ce-id',
  'ce-source',
  'ce-specversion',
  'ce-time',
  'ce-type',
]);
/** A token, and no sentence: nobody signs or scans these values. */
const VALUE = /^[\w.:/+@=-]{1,200}$/;

/**
 * Returns those headers of a request that may be forwarded. One that comes twice, or whose value is no token, is left out; of a media type its
 * parameters are.
 */
export function forwardedHeaders(headers: NodeJS.ReadOnlyDict<string[]>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, values = []] of Object.entries(headers)) {
    const [first = '', ...more] = values;
    const value = name === 'content-type' ? (first.split(';', 1)[0] ?? '').trim() : first;
    if (KEPT.has(name) && more.length === 0 && VALUE.test(value)) kept[name] = value;
  }
  return kept;
}

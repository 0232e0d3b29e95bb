import { hash } from 'node:crypto';
import type { Context } from '../../context/context.ts';
import { CarnetError } from '../../errors/carnet-error.ts';

/**
 * Judges where events are to be forwarded to: by its text, and by DNS. Where DNS does not say, each forward decides again. Before a command,
 * since DNS may take seconds.
 * @returns the refusal FORWARD_URL_FORBIDDEN, which names the `rule`; null: it may be called
 */
export async function refusalOfForwardUrl(
  { outbound }: Pick<Context, 'outbound'>,
  url: string | null | undefined,
): Promise<CarnetError | null> {
  if (url === null || url === undefined) return null;
  const found = await outbound.check(url);
  if (found.outcome !== 'refused') return null;
  const { rule, sentence } = found;
  return new CarnetError('FORWARD_URL_FORBIDDEN', `forward_url: ${sentence}`, {
    extra: { rule },
    errors: [{ path: 'forward_url', code: rule, message: sentence }],
  });
}

/** Returns what the audit trail names of a forward_url: path and query may hold what opens something. */
export const originOf = (url: string | null): string | null => (url === null ? null : (URL.parse(url)?.origin ?? null));

/** A forward_url in the audit trail: its origin, and a hash of the whole by which another path or query is seen. */
export const tracedUrl = (url: string | null): { origin: string | null; sha256: string } | null =>
  url === null ? null : { origin: originOf(url), sha256: hash('sha256', url) };

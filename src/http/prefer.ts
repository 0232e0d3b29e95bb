/** The longest wait that may be preferred, in seconds. */
const MAX_WAIT = 60;

/**
 * Seconds of `Prefer: wait=N` (RFC 7240), 1 to 60. A preference that is not understood is ignored, as the RFC wants, and so
 * are 0 and anything above 60: the answer is then the immediate one, without Preference-Applied. The first of several counts.
 */
export function preferredWait(header: string | undefined): number | null {
  if (header === undefined) return null;
  for (const preference of header.split(',')) {
    const wait = /^\s*wait\s*=\s*"?(\d{1,4})"?\s*(;|$)/i.exec(preference);
    if (wait === null) continue;
    const seconds = Number(wait[1]);
    return seconds >= 1 && seconds <= MAX_WAIT ? seconds : null;
  }
  return null;
}

/** The headers of an answer that honoured `preferWait`; none where nothing was preferred. */
export const applied = (preferWait: number | null): Record<string, string> =>
  preferWait === null ? {} : { 'Preference-Applied': `wait=${preferWait}` };

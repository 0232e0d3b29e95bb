/**
 * Which of our media types a request prefers (RFC 9110 §12.5.1): the one of the highest quality, by its most specific range; among
 * equals, and where Accept is absent or names none of them, the first.
 */
export function preferredType(accept: string | undefined, offers: readonly [string, ...string[]]): string {
  const ranges = (accept ?? '*/*').split(',').map(rangeOf);
  const qualities = offers.map((offer) => qualityOf(offer, ranges));
  return offers[qualities.indexOf(Math.max(...qualities))] ?? offers[0];
}

interface Range {
  type: string;
  quality: number;
}

/** A quality that is no number from 0 to 1 wants the type no less than others. */
function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { type, quality: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) ? Number(quality) : 1 };
}

function qualityOf(offer: string, ranges: readonly Range[]): number {
  const family = `${offer.split('/')[0] ?? ''}/*`;
  for (const wanted of [offer, family, '*/*']) {
    const range = ranges.find(({ type }) => type === wanted);
    if (range !== undefined) return range.quality;
  }
  return 0;
}

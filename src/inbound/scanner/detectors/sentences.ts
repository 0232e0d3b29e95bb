/** Between two quotation marks or in code, on both sides within two lines. */
export function isQuoted(shown: string, start: number, end: number): boolean {
  const before = shown.slice(Math.max(0, start - 120), start + 2);
  const after = shown.slice(Math.max(start, end - 2), end + 120);
  return /(?:^|[\s([{])["“„«`‘][^"”»`]{0,120}$/.test(before) && /^[^"“„«`]{0,122}["”“»`’]/.test(after);
}

/** "Never ignore", "vergessen Sie nicht", "may disregard": nobody is ordered to. */
export const isNegated = (shown: string, start: number, end: number): boolean =>
  /(?:\b(?:never|not|n['’ ]t|n['’]|cannot|may|might|could|refuses? to|refused to|unable to|instead of|to not|no|non|ne|não|nie|mag|darf|niemals|jamais|nunca|mai|nooit|nigdy)|(?:^|\s)не)\W?\s?(?:\w{1,6} )?$/i.test(
    shown.slice(Math.max(0, start - 24), start),
  ) || /^\s?(?:(?:Sie|u|ihr|je) )?(?:nicht|pas|niet|nothing|nichts|rien|not)\b/i.test(shown.slice(end, end + 20));

/** An act that somebody or something does or did. */
export const isReport = (shown: string, start: number): boolean =>
  /^(?:(?:ignore|overrule|disregard|override|forget)s|bypasses|(?:ignor|overrul|bypass|disregard)ed|overridden|forgot)\b/i.test(
    shown.slice(start, start + 16),
  );

/** No rule looks further back than this. */
const MAX_SENTENCE = 400;

/** No sentence ends between two places, which are near each other. */
export const isOneSentence = (shown: string, from: number, to: number): boolean =>
  to - from <= MAX_SENTENCE && !/[.!?。！？؟।;](?:\s|$)/.test(shown.slice(from, to));

/** A verb that begins a sentence or follows "and", "please" or a comma is an order; what has a subject before it is a report. Other scripts have their own order. */
export const isOrder = (shown: string, start: number): boolean =>
  !/[a-z]/i.test(shown[start] ?? '') ||
  /(?:^|[.!?:;,\n"(>*`-]\s?|\b(?:and|then|please|now|instead|must|shall|should|you|kindly|just|und|et|y|e|i|en|ve|you to|also|first|bitte|s'il te plaît) )$/i.test(
    shown.slice(Math.max(0, start - 20), start),
  );

/** "The earlier instructions about the trip": people speak of a matter of theirs. */
export const isOfAMatter = (shown: string, end: number): boolean =>
  /^\p{L}{0,4}\s(?:about|regarding|concerning|on|über|zu[mr]?|bezüglich|sur|concernant|sobre|acerca|respecto|respeito|su|sull?[aeio]?|riguardo|over|betreffende|dotycząc\w*|о|об|про)\s/iu.test(
    shown.slice(end, end + 20),
  );

import { kinds, LETTER } from '../text/characters.ts';
import { MAX_INVISIBLE, type Hiding, type NormalText } from '../text/normalise.ts';
import { repeatsItself, unshownIn } from '../text/unshown.ts';
import { hidingOf } from '../text/source.ts';
import { isAtLeast } from '../verdict.ts';
import type { Detection, Detector } from './scene.ts';

/** Text nobody sees, of this many units or more; a preview line of a newsletter is one. */
const MIN = 12;
const MAX_FOUND = 20;
/** Characters without width that stand together: no emoji and no script needs half as many. */
const MIN_UNSHOWN = 16;

const ways: Record<Hiding, string> = {
  style: 'is hidden by its style',
  attribute: 'stands in an attribute',
  link: 'stands in a link',
  comment: 'stands in a comment',
  'unshown element': 'stands in an element that is not shown',
};

/**
 * Text in a message that its reader does not see. Alone it is low: many newsletters have some. A run of characters that are not shown is medium: no
 * script and no emoji needs more than a few together. It is not high: some newsletters fill their preview so. `raise` makes it high where it holds more.
 */
export const hiddenText: Detector = ({ text }) =>
  [...runsOfUnshown(text), ...hiddenParts(text), ...invisibleCharacters(text)].slice(0, MAX_FOUND);

function hiddenParts({ hidden }: NormalText): Detection[] {
  const found: Detection[] = [];
  for (const { start, end, how } of hidden) {
    // Attributes, links and comments are in nearly every mail; they count where they hold more.
    if (how === 'attribute' || how === 'link' || how === 'comment' || end - start < MIN) continue;
    found.push({
      detector_key: 'hidden_text',
      severity: 'low',
      start,
      end,
      reason: `Text ${ways[how]}.`,
    });
    if (found.length >= MAX_FOUND) break;
  }
  return found;
}

/** Runs that could carry a text; more than are read are grave. */
function runsOfUnshown(text: NormalText): Detection[] {
  return unshownIn(text)
    .filter(({ count, characters, isDivided }) => count >= MIN_UNSHOWN && !(isDivided && repeatsItself(characters)))
    .slice(0, MAX_FOUND)
    .map(({ first, last, count }) => ({
      detector_key: 'hidden_text',
      severity: count > MAX_INVISIBLE ? 'high' : 'medium',
      start: Math.max(0, first - 1),
      end: Math.min(text.length, last + 1),
      reason: `Characters that are not shown stand together, ${count > MAX_INVISIBLE ? 'more than are read' : 'as no script needs them'}.`,
    }));
}

/** Characters without width that stand inside Latin words. */
function invisibleCharacters({ invisible, folded }: NormalText): Detection[] {
  const split = invisible.filter(({ at, splitsWord }) => splitsWord && isLatin(folded[at]));
  const [first] = split;
  const last = split.at(-1);
  if (first === undefined || last === undefined || split.length < 3) return [];
  const reason = 'Characters that are not shown stand inside words.';
  return [{ detector_key: 'hidden_text', severity: 'low', start: first.at - 1, end: last.at + 1, reason }];
}

const isLatin = (unit: number | undefined): boolean => unit !== undefined && unit < 128 && kinds[unit] === LETTER;

/** Where what another detector found is not seen, or was put together from parts that are not: that it is hidden is as grave as what it says. */
export function raise(text: NormalText, detections: readonly Detection[]): Detection[] {
  const raised: Detection[] = [];
  for (const { detector_key, severity, start, end } of detections) {
    if (detector_key === 'hidden_text' || severity === 'low' || raised.length >= MAX_FOUND) continue;
    const part = hidingOf(text, start, end);
    // An address stands in a link where everybody expects it, and the text of a picture in an attribute.
    const isExpected = part?.how === 'link' || part?.how === 'attribute';
    if (isExpected && !(detector_key === 'instruction_override' && isAtLeast(severity, 'high'))) continue;
    const reason = part
      ? `Text ${ways[part.how]}, and holds what another detector found.`
      : splitsWithin(text, start, end)
        ? 'Characters that are not shown stand inside words that another detector found.'
        : undefined;
    if (reason !== undefined) raised.push({ detector_key: 'hidden_text', severity: 'high', start, end, reason });
  }
  return raised;
}

const splitsWithin = ({ invisible, folded }: NormalText, start: number, end: number): boolean =>
  invisible.some(({ at, splitsWord }) => splitsWord && at > start && at < end && isLatin(folded[at]));

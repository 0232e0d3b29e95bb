import type { Passage, PassagesOfBody } from '../../context/ports.ts';
import type { Body } from '../reading/body.ts';
import { unitAt } from './text/units.ts';
import type { Place } from './verdict.ts';

/** Code units that are shown before and behind a mark, where a place is too long to be shown whole. */
const MARGIN = 200;
/** A longer mark is shown with this much of its beginning, and its end. */
const MAX_MARK = 600;
/** Code units of the beginnings of places, of one and of all together. With what stands around 50 marks, 1,200 each, a person reads 85,000 at most. */
const BEGINNING = 8_000;
const BEGINNINGS = 25_000;
/** Places that are shown for their beginning alone: more values of a JSON body than anybody reads. */
const MAX_PLACES = 100;

/** From `start` to before `end`, in code units of one place. */
interface Range {
  start: number;
  end: number;
}

interface Mark extends Range {
  finding: number;
}

/**
 * Returns what a person reads of a body: the beginning of each place as far as there is room, and what stands around each finding, however far down.
 * @param findings those of its scan, which the marks count from 0
 */
export function passagesOf({ selected }: Pick<Body, 'selected'>, findings: readonly Place[]): PassagesOfBody {
  const passages: Passage[] = [];
  const marked = Map.groupBy(
    findings.map((found, finding) => ({ ...found, finding })),
    ({ place }) => place,
  );
  let room = BEGINNINGS;
  let placesLeftOut = 0;
  for (const { place, text } of selected) {
    const marks = marksOf(text, marked.get(place) ?? []);
    marked.delete(place); // a place that is there twice is marked where it is there first
    const beginning = passages.length < MAX_PLACES ? Math.min(text.length, room, BEGINNING) : 0;
    room -= beginning;
    if (beginning === 0 && marks.length === 0) placesLeftOut += 1;
    else passages.push({ place, parts: partsOf(text, marks, shownOf(text, marks, beginning)) });
  }
  return { passages, places_left_out: placesLeftOut };
}

/** In one pass: text of megabytes may have many findings. */
function marksOf(text: string, found: readonly (Pick<Place, 'span'> & { finding: number })[]): Mark[] {
  const points = new Set(found.flatMap(({ span: { start, end } }) => [start, end]));
  const units = new Map<number, number>();
  let last = { point: 0, unit: 0 };
  for (const point of [...points].toSorted((one, other) => one - other)) {
    last = { point, unit: unitAt(text, last.unit, point - last.point) };
    units.set(point, last.unit);
  }
  return found.map(({ finding, span }) => ({
    finding,
    start: units.get(span.start) ?? 0,
    end: units.get(span.end) ?? 0,
  }));
}

/** The parts of a place that are shown, in order, no two of which touch. */
function shownOf(text: string, marks: readonly Mark[], beginning: number): Range[] {
  const wanted = [{ start: 0, end: beginning }];
  for (const { start, end } of marks) {
    wanted.push({ start: start - MARGIN, end: Math.min(end + MARGIN, start + MAX_MARK) });
    wanted.push({ start: Math.max(start, end - MARGIN), end: end + MARGIN });
  }
  const ranges: Range[] = [];
  for (const { start, end } of wanted.toSorted((one, other) => one.start - other.start)) {
    const range = { start: wholeBefore(text, start), end: wholeBefore(text, end) };
    const last = ranges.at(-1);
    if (last !== undefined && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else ranges.push(range);
  }
  return ranges;
}

/** The place itself, or the one before where it would divide a character; within the text. */
function wholeBefore(text: string, unit: number): number {
  const at = Math.min(Math.max(unit, 0), text.length);
  return at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
    ? at - 1
    : at;
}

/** Cut where a mark begins or ends, so that each part lies in the same marks from its beginning to its end. */
function partsOf(text: string, marks: readonly Mark[], ranges: readonly Range[]): Passage['parts'] {
  const borders = marks.flatMap(({ start, end }) => [start, end]);
  return ranges.flatMap(({ start, end }, at) => {
    const inside = borders.filter((border) => border > start && border < end);
    const cuts = [...new Set([start, ...inside, end])].toSorted((one, other) => one - other);
    const next = ranges[at + 1]?.start ?? text.length;
    return cuts.slice(0, Math.max(1, cuts.length - 1)).map((from, part) => {
      const to = cuts[part + 1] ?? from;
      return {
        text: text.slice(from, to).toWellFormed(),
        findings: marks.filter((mark) => mark.start <= from && to <= mark.end && from < to).map((mark) => mark.finding),
        left_out: to === end ? next - end : 0,
      };
    });
  });
}

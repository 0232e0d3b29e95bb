import { CONCEPTS, numberOf, type Concept } from '../lexicon/concepts.ts';
import { countBetween, positionsOf } from './positions.ts';
import { hidingOf } from '../text/source.ts';
import { addressesOf, callsOf, destinationsOf, leaksOf, turnsOf, type Kind, type Part, type Signal } from './marks.ts';
import type { Detection, Detector, Scene } from './scene.ts';
import { isNegated, isOfAMatter, isOneSentence, isOrder, isQuoted, isReport } from './sentences.ts';

/**
 * An order to a program that reads with a model: to drop its instructions, take another role, show its prompt, act or send something before or beside
 * what it was asked. Terms that stand together make a signal with points; signals that stand together are added. What is said of attacks, quoted, negated
 * or of a person's own earlier words lowers them, unless nobody was to see the text.
 */
export const instructionOverride: Detector = (scene) => {
  const signals = signalsOf(scene);
  const discussed = positionsOf(scene, 'discuss');
  const found: Detection[] = [];
  for (const [index, signal] of signals.entries()) {
    if ((signal.points < 2 && signal.kind !== 'reader') || found.length >= MAX_FOUND) continue;
    const last = found.at(-1);
    if (last !== undefined && last.severity !== 'medium' && signal.start < last.end) continue;
    const { score, start, end, kinds } = together(signals, index);
    const lowered = score - lowering(scene, { discussed, part: { start, end }, anchor: signal });
    if (lowered < 2) continue;
    const severity =
      lowered >= 3 ? (lowered >= 5 && (kinds.has('send') || kinds.has('tool')) ? 'critical' : 'high') : 'medium';
    const detection: Detection = {
      detector_key: 'instruction_override',
      severity,
      start,
      end,
      reason: reasonOf(kinds),
    };
    if (last !== undefined && start < last.end) {
      if (last.severity === 'medium' && severity !== 'medium') found[found.length - 1] = detection;
    } else found.push(detection);
  }
  return found;
};

const MAX_FOUND = 100;
/** Units of the text in which signals are added: some five sentences. */
const TOGETHER = 420;
/** In which words about attacks count. */
const AROUND = 320;
const MAX_SIGNALS_TOGETHER = 24;

const reasons: Record<Kind, string> = {
  drop: 'orders the reader to drop the instructions it has',
  role: 'gives the reader another role without rules',
  prompt: 'wants the reader to show its own instructions',
  turn: 'poses as another turn of the conversation, or as its system',
  reader: 'addresses a model as its reader',
  act: 'orders the model to act',
  preempt: 'puts an order of its own before what the reader was asked',
  secrecy: 'wants it kept from the user',
  send: 'wants confidential data sent away',
  tool: 'wants tools of the reader used',
  insist: 'insists on being obeyed or trusted',
};

/** The kinds in the order in which a person should read them. */
const order = Object.keys(reasons) as Kind[];

function reasonOf(kinds: ReadonlySet<Kind>): string {
  const parts = order.filter((kind) => kinds.has(kind)).slice(0, 3);
  const text = parts.map((kind) => reasons[kind]).join(', and ');
  return `The text ${text}.`;
}

/** The best of each kind around one signal, added. */
function together(
  signals: readonly Signal[],
  index: number,
): { score: number; start: number; end: number; kinds: Set<Kind> } {
  const anchor = signals[index] as Signal;
  const best = new Map<Kind, Signal>([[anchor.kind, anchor]]);
  const take = (at: number): boolean => {
    const other = signals[at];
    if (other === undefined || Math.abs(other.start - anchor.start) > TOGETHER) return false;
    if ((best.get(other.kind)?.points ?? 0) < other.points) best.set(other.kind, other);
    return true;
  };
  for (let at = index - 1; at >= index - MAX_SIGNALS_TOGETHER && take(at); at -= 1);
  for (let at = index + 1; at <= index + MAX_SIGNALS_TOGETHER && take(at); at += 1);
  let score = 0;
  let { start, end } = anchor;
  for (const signal of best.values()) {
    score += signal.points;
    start = Math.min(start, signal.start);
    end = Math.max(end, signal.end);
  }
  return { score, start, end, kinds: new Set(best.keys()) };
}

/** Terms of a concept within a distance of each other, whichever comes first. */
function signalsOf(scene: Scene): Signal[] {
  const { hits } = scene;
  const addresses = addressesOf(scene.shown);
  const turns = turnsOf(scene.shown);
  const signals: Signal[] = [...turns, ...addresses, ...callsOf(scene.shown), ...leaksOf(scene.shown)];
  let address = 0;
  let lastAddress = -1_000_000;
  let turn = 0;
  let lastTurn = -1_000_000;
  let lastDrop = -1_000_000;
  const lastStart = new Int32Array(CONCEPTS.length).fill(-1_000_000);
  const lastEnd = new Int32Array(CONCEPTS.length).fill(-1_000_000);
  const destinations = destinationsOf(scene.shown);
  let destination = 0;
  for (let index = 0; index < hits.count; index += 1) {
    const start = hits.start[index] as number;
    const end = hits.end[index] as number;
    const concept = hits.concept[index] as number;
    lastStart[concept] = start;
    lastEnd[concept] = end;
    for (; (addresses[address]?.start ?? Infinity) < start; address += 1)
      lastAddress = addresses[address]?.end ?? start;
    for (; (turns[turn]?.start ?? Infinity) < start; turn += 1) lastTurn = turns[turn]?.end ?? start;
    const near = (other: Concept, distance: number): boolean => start - (lastEnd[numbers[other]] as number) <= distance;
    const from = (...others: Concept[]): number => {
      let first = start;
      for (const other of others) {
        const there = lastStart[numbers[other]] as number;
        if (there < first && there > start - 200) first = there;
      }
      return first;
    };
    const add = (kind: Kind, points: number, ...others: Concept[]): void => {
      signals.push({ kind, points, start: from(...others), end });
      if (kind === 'drop') lastDrop = start;
    };
    switch (CONCEPTS[concept]) {
      case 'rules':
      case 'prior': {
        const first = Math.max(...(['override', 'loosen'] as const).map((verb) => lastStart[numbers[verb]] as number));
        const isWithin = (other: Concept): boolean => (lastStart[numbers[other]] as number) >= first - 25;
        if (!isOneSentence(scene.shown, first, start)) break;
        if (!near('rules', 40) || !isWithin('rules')) {
          // "Ignore your previous …": no matter what the noun is, or however it is spelled.
          const isWhole = near('override', 30) && isWithin('prior') && isWithin('yours') && isOrder(scene.shown, first);
          if (isWhole) add('drop', 2, 'override', 'prior');
          break;
        }
        // "My previous instructions", "our earlier note": a person speaks of what they said themselves.
        if ((lastStart[numbers.mine] as number) >= first) break;
        if (
          near('override', 70) &&
          !isNegated(scene.shown, lastStart[numbers.override] as number, lastEnd[numbers.override] as number)
        ) {
          const points =
            isWithin('yours') || (isWithin('prior') && isWithin('all'))
              ? 3
              : isWithin('prior')
                ? 3
                : isWithin('all')
                  ? 2
                  : 1;
          add(
            'drop',
            isReport(scene.shown, lastStart[numbers.override] as number)
              ? 1
              : isWithin('yours') || isWithin('all') || !isOfAMatter(scene.shown, end)
                ? points
                : points - 1,
            'override',
            'prior',
            'rules',
          );
        } else if (near('loosen', 60) && isOrder(scene.shown, first)) {
          const points = isWithin('prior') && isWithin('all') ? 2 : isWithin('prior') || isWithin('yours') ? 1 : 0;
          if (points > 0) add('drop', points, 'loosen', 'prior', 'rules');
        }
        break;
      }
      // Where the verb stands last.
      case 'override_last':
        if (
          near('rules', 40) &&
          (near('prior', 60) || near('all', 60) || near('yours', 60)) &&
          !isNegated(scene.shown, start, end) &&
          !near('mine', 60)
        )
          add('drop', near('prior', 60) ? 3 : 2, 'prior', 'all', 'rules');
        break;
      case 'override':
        if (
          scene.shown.charCodeAt(start) < 128 &&
          isOrder(scene.shown, start) &&
          DICTATES.test(scene.shown.slice(end, end + 140))
        )
          add('drop', 3);
        // "The rules above are void": the verb stands last in English too.
        if (near('rules', 40) && near('prior', 50) && !near('mine', 50)) add('drop', 1, 'prior', 'rules');
        break;
      case 'drop':
        add('drop', 3);
        break;
      case 'role':
      case 'mode':
        if (near('role', 120) && near('mode', 120))
          add('role', isOneSentence(scene.shown, from('role', 'mode'), start) ? 3 : 1, 'role', 'mode');
        else if (near('role', 60) && near('model', 60)) add('role', 1, 'role');
        break;
      case 'model':
        if (near('role', 60)) add('role', 1, 'role');
        break;
      case 'reveal':
      case 'prompt':
      case 'briefed':
        if (near('reveal', 60) && near('prompt', 60))
          add('prompt', isOrder(scene.shown, lastStart[numbers.reveal] as number) ? 3 : 2, 'reveal', 'prompt');
        else if (near('reveal', 40) && near('briefed', 40)) add('prompt', 1, 'reveal', 'briefed');
        break;
      case 'reader':
        add('reader', 2);
        break;
      case 'handle':
        // "The agent that processes this mail": the one it speaks of is the reader.
        if (near('model', 25) && /^\W{0,3}(?:this|these|the following)\b/i.test(scene.shown.slice(end, end + 20))) {
          add('reader', 2, 'model');
          lastAddress = end;
        }
        break;
      case 'act':
        if (near('reader', 160) || start - lastAddress <= 160) add('act', 1);
        else if (near('addressee', 120)) add('act', 1);
        else if (start - lastTurn <= 60 && (start - lastTurn <= 4 || isOrder(scene.shown, start))) add('act', 1);
        break;
      case 'addressee':
        add('reader', 1);
        break;
      case 'preempt':
        add('preempt', 2);
        break;
      case 'steer':
        // One word ("instead") compares two things, but behind an order to drop something.
        if (scene.shown.slice(start, end).includes(' ') || start - lastDrop <= TOGETHER) add('preempt', 1);
        break;
      case 'secrecy':
        add('secrecy', 2);
        break;
      case 'hush':
      case 'user':
        if (near('hush', 40)) add('secrecy', near('user', 40) ? 2 : 1, 'hush');
        break;
      case 'send':
      case 'sensitive':
        if (near('send', 90) && near('sensitive', 90)) {
          const verb = lastStart[numbers.send] as number;
          if (isNegated(scene.shown, verb, lastEnd[numbers.send] as number)) break;
          while ((destinations[destination] ?? Infinity) < verb - 20) destination += 1;
          const reaches = (destinations[destination] ?? Infinity) < end + 150;
          const points = reaches ? 2 : isOrder(scene.shown, verb) ? 1 : 0;
          if (points > 0) add('send', points, 'send', 'sensitive');
        }
        break;
      case 'tool':
        add('tool', 1);
        break;
      case 'comply':
        add('insist', 1);
        break;
      case 'insist':
        add('insist', 2);
        break;
      // These make no signal of their own.
      case 'ask':
      case 'assure':
      case 'credential':
      case 'discuss':
      case 'hand':
      case 'mine':
      case 'negate':
      case 'all':
      case 'yours':
      case 'loosen':
      case 'pressure':
      case undefined:
        break;
    }
  }
  return signals.toSorted((one, other) => one.start - other.start);
}

const numbers = Object.fromEntries(CONCEPTS.map((concept) => [concept, numberOf(concept)])) as Record<Concept, number>;

/** "Ignore the rest of this page and print '…'", "ignore the rules, just print …": who drops what it reads to say words that are given to it is a model. */
const DICTATES = new RegExp(
  [
    String.raw`^[^.!?\n"“]{0,80}?(?:\b(?:and|then)|,) ?SAY\b[^.!?\n]{0,40}?["“'‘<]`,
    String.raw`^[^.!?\n]{0,40}?\b(?:instructions?|directions|directives|rules|prompts?)\b[^.!?\n]{0,40}?(?:\b(?:and|then)|,) ?SAY\b`,
  ]
    .join('|')
    .replaceAll(
      'SAY',
      '(?:and )?(?:just |only |simply |instead |now )?(?:print|output|say|repeat|respond|reply|write|answer|translate)',
    ),
  'i',
);

/** How much less an order counts where it stands. */
function lowering(
  scene: Scene,
  { discussed, part: { start, end }, anchor }: { discussed: readonly number[]; part: Part; anchor: Part },
): number {
  const hiding = hidingOf(scene.text, anchor.start, anchor.end)?.how;
  if (scene.unseen || (hiding !== undefined && hiding !== 'link')) return 0;
  // Words of an address are more often the title of a page than an order.
  let lower = hiding === 'link' && !/\s/.test(scene.shown.slice(anchor.start, anchor.end)) ? 1 : 0;
  const words = countBetween(discussed, start - AROUND, end + AROUND);
  const quoted = isQuoted(scene.shown, anchor.start, anchor.end);
  if (quoted) lower += words >= 1 ? 3 : 1;
  if (words >= 3) lower += 1;
  if (words >= 5) lower += 1;
  return lower;
}

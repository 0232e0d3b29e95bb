import { CONCEPTS, numberOf, type Concept } from '../lexicon/concepts.ts';
import { countBetween, positionsOf } from './positions.ts';
import { hidingOf } from '../text/source.ts';
import type { Detection, Detector, Scene } from './scene.ts';

/**
 * An order to whoever reads with a model: to drop its instructions, take another role, show its prompt, act or send something before or beside
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
    const lowered = score - lowering(scene, discussed, start, end);
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

type Kind = 'drop' | 'role' | 'prompt' | 'turn' | 'reader' | 'preempt' | 'secrecy' | 'send' | 'tool' | 'insist';

interface Signal {
  kind: Kind;
  points: number;
  start: number;
  end: number;
}

const reasons: Record<Kind, string> = {
  drop: 'orders the reader to drop the instructions it has',
  role: 'gives the reader another role without rules',
  prompt: 'wants the reader to show its own instructions',
  turn: 'poses as another turn of the conversation, or as its system',
  reader: 'addresses a model as its reader',
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
  const signals: Signal[] = turnsOf(scene.shown);
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
    };
    switch (CONCEPTS[concept]) {
      case 'override':
      case 'loosen':
      case 'prior':
      case 'rules':
      case 'yours':
      case 'all': {
        const strong = near('override', 70);
        if (!near('rules', 70)) {
          if (strong && near('prior', 30) && near('all', 40)) add('drop', 1, 'override', 'prior');
          break;
        }
        const weak = near('loosen', 60);
        const prior = near('prior', 60);
        const first = from('override', 'loosen', 'rules');
        const isWithin = (other: Concept): boolean => (lastStart[numbers[other]] as number) >= first - 25;
        const wide = isWithin('all') || isWithin('yours');
        // "My previous instructions", "our earlier note": a person speaks of what they said themselves.
        if ((lastStart[numbers.mine] as number) >= from('rules') - 40) break;
        if (strong && prior) add('drop', wide ? 3 : 2, 'override', 'prior', 'rules');
        else if (strong && wide) add('drop', isWithin('yours') ? 3 : 2, 'override', 'rules');
        else if (weak && prior && isWithin('prior') && wide)
          add('drop', isWithin('all') ? 2 : 1, 'loosen', 'prior', 'rules');
        else if (weak && near('yours', 30)) add('drop', 1, 'loosen', 'rules');
        break;
      }
      case 'drop':
        add('drop', 3);
        break;
      case 'role':
      case 'mode':
        if (near('role', 120) && near('mode', 120)) add('role', 3, 'role', 'mode');
        else if (near('role', 60) && near('model', 60)) add('role', 1, 'role');
        break;
      case 'model':
        if (near('role', 60)) add('role', 1, 'role');
        break;
      case 'reveal':
      case 'prompt':
      case 'briefed':
        if (near('reveal', 60) && near('prompt', 60)) add('prompt', 3, 'reveal', 'prompt');
        else if (near('reveal', 40) && near('briefed', 40)) add('prompt', 1, 'reveal', 'briefed');
        break;
      case 'reader':
        add('reader', 2);
        break;
      case 'addressee':
        add('reader', 1);
        break;
      case 'preempt':
        add('preempt', 2);
        break;
      case 'steer':
        add('preempt', 1);
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
          while ((destinations[destination] ?? Infinity) < start - 150) destination += 1;
          const reaches = (destinations[destination] ?? Infinity) < end + 150;
          add('send', reaches ? 2 : 1, 'send', 'sensitive');
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
      case 'about':
      case 'act':
      case 'ask':
      case 'assure':
      case 'credential':
      case 'discuss':
      case 'hand':
      case 'mine':
      case 'negate':
      case 'pressure':
      case undefined:
        break;
    }
  }
  return signals.toSorted((one, other) => one.start - other.start);
}

const numbers = Object.fromEntries(CONCEPTS.map((concept) => [concept, numberOf(concept)])) as Record<Concept, number>;

/** Marks of a turn of a conversation, as models' own templates write them and as people imitate them. */
const TURN =
  /<\|[a-z_]{2,20}\|>|\[\/?(?:INST|SYSTEM|ADMIN|DEVELOPER)\]|<<\/?SYS>>|<\/?(?:system|system[_-](?:message|prompt|reminder|note|instruction|override)|instructions?|information|important|admin|developer|assistant|tool_result|tool_response|function_results|untrusted[a-z_]{0,20}|user_query)>|(?:^|\n)[ >*#=_~-]{0,8}\[?(?:system|developer|assistant|admin(?:istrator)?|sysadmin|ai|llm|copilot|claude|chatgpt|gemini|gpt)(?: (?:message|prompt|note|notice|override|instruction|instructions|update|alert|command|directive|reminder))?\]?\**:|(?:begin|end|start)(?:ning)?(?: of)?(?: the)? (?:new )?(?:system|user|admin|hidden|developer)(?:'s)? (?:prompt|message|instructions?|input|query|email|override)/gi;

function turnsOf(shown: string): Signal[] {
  const signals: Signal[] = [];
  for (const { index, 0: mark } of shown.matchAll(TURN))
    signals.push({
      kind: 'turn',
      points: /^(?:<\||\[\/?INST|<<)/i.test(mark) ? 3 : 2,
      start: index,
      end: index + mark.length,
    });
  return signals;
}

/** Where addresses stand to which something could be sent. */
function destinationsOf(shown: string): number[] {
  const found: number[] = [];
  for (const { index } of shown.matchAll(/@[a-z0-9-]{1,63}\.[a-z]|https?:\/\/|\bhxxps?:/gi)) found.push(index);
  return found;
}

/** How much less an order counts where it stands. */
function lowering(scene: Scene, discussed: readonly number[], start: number, end: number): number {
  if (scene.unseen || hidingOf(scene.text, start, end) !== undefined) return 0;
  let lower = 0;
  const words = countBetween(discussed, start - AROUND, end + AROUND);
  const quoted = isQuoted(scene.shown, start, end);
  if (quoted && words >= 1) lower += 3;
  if (words >= 2) lower += 1;
  if (words >= 4) lower += 1;
  if (isNegated(scene.shown, start)) lower += 2;
  return lower;
}

/** Between two quotation marks or in code, on both sides within two lines. */
function isQuoted(shown: string, start: number, end: number): boolean {
  const before = shown.slice(Math.max(0, start - 120), start + 2);
  const after = shown.slice(Math.max(start, end - 2), end + 120);
  return /["“„«`‘][^"”»`]{0,120}$/.test(before) && /^[^"“„«`]{0,122}["”“»`’]/.test(after);
}

/** "Never ignore", "will not disregard": the order is the other way round. */
const isNegated = (shown: string, start: number): boolean =>
  /\b(?:never|not|n['’]t|cannot|refuses? to|refused to|unable to|instead of|nie|niemals|nicht|jamais|nunca|mai|nooit|nigdy)\b[^.!?\n]{0,12}$/i.test(
    shown.slice(Math.max(0, start - 30), start),
  );

import { TURN_NAMES } from '../html/elements.ts';
import { CONCEPTS, numberOf, type Concept } from '../lexicon/concepts.ts';
import { countBetween, positionsOf } from './positions.ts';
import { hidingOf } from '../text/source.ts';
import type { Detection, Detector, Scene } from './scene.ts';

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

type Kind = 'drop' | 'role' | 'prompt' | 'turn' | 'reader' | 'act' | 'preempt' | 'secrecy' | 'send' | 'tool' | 'insist';

interface Part {
  start: number;
  end: number;
}

interface Signal extends Part {
  kind: Kind;
  points: number;
}

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
  const signals: Signal[] = [...turns, ...addresses, ...callsOf(scene.shown)];
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
            isReport(scene.shown, lastStart[numbers.override] as number) ? 1 : points,
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
        if (near('model', 25) && /^\W{0,3}(?:this|these|the following)\b/i.test(scene.shown.slice(end, end + 20)))
          add('reader', 2, 'model');
        break;
      case 'act':
        if (near('reader', 160) || near('handle', 160) || start - lastAddress <= 160) add('act', 1);
        else if (near('addressee', 120)) add('act', 1);
        else if (start - lastTurn <= 60 && isOrder(scene.shown, start)) add('act', 1);
        break;
      case 'addressee':
        add('reader', 1);
        break;
      case 'preempt':
        add('preempt', 2);
        break;
      case 'steer':
        if (isSteering(scene.shown, start, end) || start - lastDrop <= TOGETHER) add('preempt', 1);
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

/** Marks of a turn of a conversation, as models' own templates write them and as people imitate them. */
const TURN = new RegExp(
  [
    String.raw`<\|[a-z_]{2,20}\|>`,
    String.raw`\[/?(?:INST|SYSTEM|ADMIN|DEVELOPER)\]`,
    String.raw`<</?SYS>>`,
    `</?${TURN_NAMES}>`,
    String.raw`(?:^|\n)[ >*#=_~-]{0,8}\[?(?:system|developer|assistant|admin(?:istrator)?|sysadmin|ai|llm|copilot|claude|chatgpt|gemini|gpt)(?: (?:message|prompt|note|notice|override|instruction|instructions|update|alert|command|directive|reminder))?\]?\**:`,
    String.raw`#{2,4} ?[([]?system[_ ](?:message|prompt|instruction)s?\b`,
    String.raw`(?:begin|end|start)(?:ning)?(?: of)?(?: the)? (?:new )?(?:system|user|admin|hidden|developer)(?:'s)? (?:prompt|message|instructions?|input|query|email|override)`,
  ].join('|'),
  'gi',
);

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
  for (const sign of ['@', '://']) {
    for (let at = shown.indexOf(sign); at >= 0; at = shown.indexOf(sign, at + sign.length)) found.push(at);
  }
  return found.toSorted((one, other) => one - other);
}

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
  if (words >= 2) lower += 1;
  if (words >= 4) lower += 1;
  return lower;
}

/** Between two quotation marks or in code, on both sides within two lines. */
function isQuoted(shown: string, start: number, end: number): boolean {
  const before = shown.slice(Math.max(0, start - 120), start + 2);
  const after = shown.slice(Math.max(start, end - 2), end + 120);
  return /["“„«`‘][^"”»`]{0,120}$/.test(before) && /^[^"“„«`]{0,122}["”“»`’]/.test(after);
}

/** "Never ignore", "vergessen Sie nicht", "may disregard": nobody is ordered to. */
const isNegated = (shown: string, start: number, end: number): boolean =>
  /(?:\b(?:never|not|n['’ ]t|n['’]|cannot|may|might|could|refuses? to|refused to|unable to|instead of|to not|no|non|ne|não|nie|mag|darf|niemals|jamais|nunca|mai|nooit|nigdy)|(?:^|\s)не)\s?(?:\w{1,6} )?$/i.test(
    shown.slice(Math.max(0, start - 24), start),
  ) || /^\s?(?:(?:Sie|u|ihr|je) )?(?:nicht|pas|niet|nothing|nichts|rien|not)\b/i.test(shown.slice(end, end + 16));

/** An act that somebody or something does or did. */
const isReport = (shown: string, start: number): boolean =>
  /^(?:(?:ignore|overrule|disregard|override|forget)s|bypasses|(?:ignor|overrul|bypass|disregard)ed|overridden|forgot)\b/i.test(
    shown.slice(start, start + 16),
  );

/** No rule looks further back than this. */
const MAX_SENTENCE = 400;

/** No sentence ends between two places, which are near each other. */
const isOneSentence = (shown: string, from: number, to: number): boolean =>
  to - from <= MAX_SENTENCE && !/[.!?。！？؟।;](?:\s|$)/.test(shown.slice(from, to));

/** A verb that begins a sentence or follows "and", "please" or a comma is an order; what has a subject before it is a report. Other scripts have their own order. */
const isOrder = (shown: string, start: number): boolean =>
  !/[a-z]/i.test(shown[start] ?? '') ||
  /(?:^|[.!?:;,\n"(>*`-]\s?|\b(?:and|then|please|now|instead|must|shall|should|you|kindly|just|und|et|y|e|i|en|ve|you to|also|first|bitte|s'il te plaît) )$/i.test(
    shown.slice(Math.max(0, start - 20), start),
  );

/** One word ("instead") steers a reader where it begins a sentence or follows an order to drop something; anywhere else it compares two things: "use the new name instead". */
const isSteering = (shown: string, start: number, end: number): boolean =>
  shown.slice(start, end).includes(' ') || (isOrder(shown, start) && !shown.startsWith(' of ', end));

/** A model is spoken to: at the beginning of a line or sentence, with its name and a colon or comma behind it. */
const ADDRESS =
  /(?:^|[\n.!?>"*(-] ?)(?:(?:to|for|dear|hello|hi|hey|attention|note|notice|message|instructions?|reminder|ok|okay|listen) (?:to |for )?(?:the |all |any |every |whichever |whatever |you )?)?(?:ai|llm|gpt|chatgpt|claude|gemini|copilot|llama|language model|ai model|ai assistant|ai agent|ai system)s?(?: (?:assistant|agent|model|bot|system|reader|tool|recruiter)s?)?(?: [a-z]{2,12}){0,3} ?[:,!\u2014]/gi;

const addressesOf = (shown: string): Signal[] =>
  Array.from(shown.matchAll(ADDRESS), ({ index, 0: found }) => ({
    kind: 'reader' as const,
    points: 2,
    start: index + (found.length - found.trimStart().length),
    end: index + found.length,
  }));

/** A tool, whose name has small letters, is named to be used. */
const CALL =
  /\b(?:[Cc]all|CALL|[Ii]nvoke|INVOKE|[Ee]xecute|EXECUTE|[Uu]se|USE|[Rr]un|RUN) (?:the )?(?:function |tool |your )?[`'"]?[a-z]{2,20}_[a-z_\d]{2,30}(?!\w)/g;

/** To call a tool is an order where it begins a sentence; to use something, or a name with parentheses, is said in every text about programs. */
const callsOf = (shown: string): Signal[] =>
  shown.includes('_')
    ? Array.from(shown.matchAll(CALL), ({ index, 0: found }) => {
        const end = index + found.length;
        const isCalled = !/^(?:use|run)/i.test(found) && isOrder(shown, index) && shown[end] !== '(';
        return { kind: 'tool' as const, points: isCalled ? 2 : 1, start: index, end };
      })
    : [];

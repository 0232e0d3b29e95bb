import { TURN_NAMES } from '../html/elements.ts';
import { isOrder } from './sentences.ts';

export type Kind =
  | 'drop'
  | 'role'
  | 'prompt'
  | 'turn'
  | 'reader'
  | 'act'
  | 'preempt'
  | 'secrecy'
  | 'send'
  | 'tool'
  | 'insist';

export interface Part {
  start: number;
  end: number;
}

export interface Signal extends Part {
  kind: Kind;
  points: number;
}

/** Marks of a turn of a conversation, as models' own templates write them and as people imitate them. */
const TURN = new RegExp(
  [
    String.raw`<\|[a-z_]{2,20}\|>`,
    String.raw`\[/?(?:INST|SYSTEM|ADMIN|DEVELOPER)\]`,
    String.raw`<</?SYS>>`,
    `</?${TURN_NAMES}>`,
    String.raw`(?:^|\n)(?:assistant|ai|bot):[^\n]{0,200}\n(?:user|human):`,
    String.raw`(?:^|\n)[ >*#=_~-]{0,8}\[?(?:system|developer|assistant|admin(?:istrator)?|sysadmin|ai|llm|copilot|claude|chatgpt|gemini|gpt)(?: (?:message|prompt|note|notice|override|instruction|instructions|update|alert|command|directive|reminder))?\]?\**:`,
    String.raw`#{2,4} ?[([]?system[_ ](?:message|prompt|instruction)s?\b`,
    String.raw`(?:begin|end|start)(?:ning)?(?: of)?(?: the)? (?:new )?(?:system|user|admin|hidden|developer)(?:'s)? (?:prompt|message|instructions?|input|query|email|override)`,
  ].join('|'),
  'gi',
);

export function turnsOf(shown: string): Signal[] {
  const signals: Signal[] = [];
  for (const { index, 0: mark } of shown.matchAll(TURN))
    signals.push({
      kind: 'turn',
      points: /^(?:<\||\[\/?INST|<<)|(?:user|human):$/i.test(mark) ? 3 : 2,
      start: index,
      end: index + mark.length,
    });
  return signals;
}

/** Where addresses stand to which something could be sent. */
export function destinationsOf(shown: string): number[] {
  const found: number[] = [];
  for (const sign of ['@', '://']) {
    for (let at = shown.indexOf(sign); at >= 0; at = shown.indexOf(sign, at + sign.length)) found.push(at);
  }
  return found.toSorted((one, other) => one - other);
}

/** A model is spoken to: at the beginning of a line or sentence, with its name and a colon or comma behind it. */
const ADDRESS =
  /(?:^|[\n.!?>"*(-] ?)(?:(?:to|for|dear|hello|hi|hey|attention|note|notice|message|instructions?|reminder|ok|okay|listen) (?:to |for )?(?:the |all |any |every |whichever |whatever |you )?)?(?:ai|llm|gpt|chatgpt|claude|gemini|copilot|llama|language model|ai model|ai assistant|ai agent|ai system)s?(?: (?:assistant|agent|model|bot|system|reader|tool|recruiter)s?)?(?: [a-z]{2,12}){0,3} ?[:,!\u2014]/gi;

export const addressesOf = (shown: string): Signal[] =>
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
export const callsOf = (shown: string): Signal[] =>
  shown.includes('_')
    ? Array.from(shown.matchAll(CALL), ({ index, 0: found }) => {
        const end = index + found.length;
        const isCalled = !/^(?:use|run)/i.test(found) && isOrder(shown, index) && shown[end] !== '(';
        return { kind: 'tool' as const, points: isCalled ? 2 : 1, start: index, end };
      })
    : [];

/** A picture or link in Markdown whose address still has a place to fill in: who follows such an order sends what it fills in to that address. */
const LEAK =
  /\]\((?:https?:)?\/\/[^\s()]{1,200}?[?&/=](?:\[[^\]\s]{1,40}\]|\{[^}\s]{1,40}\}|<[^>\s]{1,40}>|[A-Z_]{4,30}\b)[^\s()]{0,80}\)/g;
/** HTML that runs a script where it is shown. */
const ACTIVE = /<(?:img|svg|iframe|body|video|details)\b[^<>]{0,120}?\bon[a-z]{4,12} ?=/gi;

/** Texts that do harm where a model repeats them. */
export const leaksOf = (shown: string): Signal[] => [
  ...(shown.includes('](') ? matchesOf(shown, LEAK, 2) : []),
  ...(shown.includes('=') ? matchesOf(shown, ACTIVE, 1) : []),
];

const matchesOf = (shown: string, pattern: RegExp, points: number): Signal[] =>
  Array.from(shown.matchAll(pattern), ({ index, 0: found }) => ({
    kind: 'send' as const,
    points,
    start: index,
    end: index + found.length,
  }));

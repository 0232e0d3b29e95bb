/** The meaning of a term of the lexicon for the rules of the detectors. The order gives each its number. */
export const CONCEPTS = [
  /** To stop following something: ignore, disregard, forget. */
  'override',
  /** The same in languages and forms where the verb stands last. */
  'override_last',
  /** To lift or replace something, which people do with many things: remove, cancel, turn off, replace. */
  'loosen',
  /** Names what was said before. */
  'prior',
  /** Instructions, rules, guidelines. */
  'rules',
  /** All of them. */
  'all',
  /** Those of the reader: your, given to you, system, developer, safety. */
  'yours',
  /** A whole order to drop what was said. */
  'drop',
  /** An address to a model as the reader: "if you are an AI", "note to the assistant". */
  'reader',
  /** An address that a person could have too: "note to the agent", "when you process this". */
  'addressee',
  /** Names what a reader does with a text: reads, processes, summarises. */
  'handle',
  /** A model is named. */
  'model',
  /** Another role for the reader: "you are now", "act as". */
  'role',
  /** A mode without rules: "developer mode", "no restrictions". */
  'mode',
  /** Something that comes before what the reader was about to do: "before you answer", "your new task". */
  'preempt',
  /** The same in words that people use among themselves: "new instructions", "before you continue". */
  'steer',
  /** To keep something from whom the reader serves. */
  'secrecy',
  /** To do something unseen or unasked, whomever it is kept from. */
  'hush',
  /** Whom the reader serves. */
  'user',
  /** To show something. */
  'reveal',
  /** The reader's own instructions. */
  'prompt',
  /** Names what could be those of a person: "your instructions", "the text above". */
  'briefed',
  /** To send something away. */
  'send',
  /** Names what should not leave: keys, conversations, contacts. */
  'sensitive',
  /** To act in somebody's name: pay, delete, approve. */
  'act',
  /** The tools of an agent. */
  'tool',
  /** Not to refuse, to follow immediately. */
  'comply',
  /** To be trusted above all else: "this overrides", "not a prompt injection". */
  'insist',
  /** Words of those who write about attacks. */
  'discuss',
  /** Not, never. */
  'negate',
  /** My, our: a person speaks of what they said. */
  'mine',
  /** To enter something where one is asked for it: confirm, verify. */
  'ask',
  /** To hand something over to the writer: send us, reply with. */
  'hand',
  /** Password, card number, seed phrase. */
  'credential',
  /** Or else: suspended, within 24 hours. */
  'pressure',
  /** Names what is never asked for: "we will never ask for your password". */
  'assure',
] as const;

export type Concept = (typeof CONCEPTS)[number];

/** Terms of one language by concept, divided by `|`; one that ends in `*` is the beginning of a word. */
export type Terms = Partial<Record<Concept, string>>;

export const numberOf = (concept: Concept): number => CONCEPTS.indexOf(concept);

/** A page as a person has it before them. */
export interface Seen {
  status: number;
  /** With its query. */
  path: string;
  title: string;
  /** The text of `main`. */
  text: string;
  notices: string[];
  /** The text of the part where the keyboard goes on; '': at the top of the page. */
  focus: string;
}

/** A part of a page that a package draws. Its contrasts and its style attributes, which the policy blocks, are not ours to mend. */
export interface Drawn {
  /** The element that it is drawn in. */
  in: string;
  /** An element that is there once it is drawn. */
  shows: string;
}

export interface Press {
  /** The texts that the person types or chooses, by the name of the field; of boxes the values of those that are ticked. */
  fields?: Record<string, string | readonly string[]>;
  /** A text of the card that the button stands in, where there are several. */
  card?: string;
}

/** Somebody with a browser. */
export interface Visitor {
  /** @param drawn the part that scripts draw, which is waited for; absent: there is none */
  open(path: string, drawn?: Drawn): Promise<Seen>;
  /** Fills in the form of this button of the page that is open, and presses it. */
  press(button: string, press?: Press): Promise<Seen>;
  /** Goes where this link of the page leads. */
  follow(link: string): Promise<Seen>;
  /** Waits until the page that is open says this, without loading it again: its script brings it up to date. */
  watch(words: RegExp): Promise<void>;
  /** Sees the page that is open in another window. */
  look(look: Look): Promise<void>;
  /** @throws AssertionError for what keeps somebody from reading or using the page that is open */
  assertUsable(): Promise<void>;
  close(): Promise<void>;
}

export interface Look {
  /** Pixels of the window. */
  width: number;
  scheme: 'light' | 'dark';
}

/** How somebody visits. */
export interface Way extends Look {
  /** The `name=value` of the session, as `signIn` of people.ts gives it; absent: nobody is signed in. */
  cookie?: string;
  scripts: boolean;
  hand: 'mouse' | 'keyboard';
}

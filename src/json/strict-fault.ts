export type StrictJsonCode =
  | 'malformed_json'
  | 'invalid_utf8'
  | 'too_deep'
  | 'duplicate_member'
  | 'forbidden_member'
  | 'lone_surrogate'
  | 'nul_character'
  | 'number_overflow'
  | 'unsafe_integer';

/** Why a text is not taken as JSON. `message` is a sentence that says where and what to do. */
export class StrictJsonFault extends Error {
  override readonly name = 'StrictJsonFault';
  readonly code: StrictJsonCode;
  /** Dotted from the root, ending in the member or index at fault; empty for the root. */
  readonly path: string;
  /** UTF-16 units from the start of the text; bytes where the fault is in the UTF-8 itself. */
  readonly offset: number;

  constructor(code: StrictJsonCode, message: string, place: { path: string; offset: number }) {
    super(message);
    this.code = code;
    this.path = place.path;
    this.offset = place.offset;
  }
}

/** Names are cut to this length in messages and paths. */
const SHOWN_NAME = 64;

/** A name fit for messages and logs: short and without control characters. */
export const shown = (name: string): string => {
  const short = name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name;
  return JSON.stringify(short.toWellFormed()).slice(1, -1);
};
export const quoted = (name: string): string => `"${shown(name)}"`;

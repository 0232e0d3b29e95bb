/** A body that is none of its provider's kind. `reason` is a sentence: what is wrong, what to do. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** The words of a library about a body that it cannot read are cut to this many characters. */
export const MAX_FAULT = 200;

/** A statement that does not hold, or cannot be read; the message is a sentence for a reader without its full stop. */
export class Fault extends Error {
  override readonly name = 'Fault';
}

/** @throws Fault with `message` where the condition does not hold */
export function must(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Fault(message);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

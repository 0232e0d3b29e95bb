import { parseStrictJson } from '../../json/strict.ts';
import type { JsonValue } from '../../json/value.ts';

/** Shorter values stand in any text, so that masking them would only make it unreadable. */
const SHORTEST_MASKED = 4;

function* leaves(value: JsonValue): Generator<string> {
  if (Array.isArray(value)) for (const one of value) yield* leaves(one);
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) yield* leaves(one);
  else yield String(value);
}

/**
 * The text that a script printed, without the texts and numbers of the input that it was given: its owner reads it, and the input is its
 * buyer's. It hides what is printed as it came, by an author who looks for a fault; a script that prints it in disguise is not stopped.
 */
export function withoutInput(console: string, input: string): string {
  const values = new Set([...leaves(parseStrictJson(input))].filter((text) => text.length >= SHORTEST_MASKED));
  let masked = console;
  for (const value of [...values].toSorted((one, other) => other.length - one.length)) {
    masked = masked.replaceAll(value, '[input]');
    const escaped = JSON.stringify(value).slice(1, -1);
    if (escaped !== value) masked = masked.replaceAll(escaped, '[input]');
  }
  return masked;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Harmless sentences with words of attacks in them: what a scanner of words alone would hold back. */
export const triggerWords = (): string[] =>
  readFileSync(join(import.meta.dirname, 'trigger-words.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

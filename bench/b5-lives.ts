import { measureAnswers } from './b5-answers.ts';
import { measureLives } from './b5-drain.ts';
import type { Bench } from './bench.ts';

/** Lives against the least that Temporal can do, and the answers of the API against engines that answer when all is done. */
export const b5: Bench = {
  title: 'B5: lives, and the answers before them',
  async run(lab) {
    const [lives, floor] = await measureLives(lab);
    return [lives, ...(await measureAnswers(lab)), floor].filter((part) => part !== undefined);
  },
};

import type { Attack, Target } from './attack.ts';
import { algorithms, broughtKeys, headers, keyIds } from './headers.ts';
import { claims, payloads } from './payloads.ts';
import { signatures, texts } from './texts.ts';

export type { Target } from './attack.ts';

/** Every generated attack, by its family. */
export const attacks: Record<string, (target: Target) => Attack[]> = {
  'the algorithm': algorithms,
  'the key id': keyIds,
  'keys that the token brings along': broughtKeys,
  'other header members': headers,
  'the claims': claims,
  'the JSON of the payload': payloads,
  'the text of the token': texts,
  'the signature': signatures,
};

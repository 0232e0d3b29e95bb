import { CONCEPTS } from '../lexicon/concepts.ts';
import { countBetween, positionsOf } from './positions.ts';
import type { Detection, Detector } from './scene.ts';
import { isOneSentence, isOrder } from './sentences.ts';

const MAX_FOUND = 20;
/** Units between what is to be done and the credential. */
const APART = 70;
const SENTENCES = 420;

/**
 * Somebody wants a password, a code or a card number: to be sent to them, or to be entered under pressure. Who warns of that
 * ("we never ask for your password") wants none.
 */
export const credentialRequest: Detector = (scene) => {
  const { hits } = scene;
  const pressed = positionsOf(scene, 'pressure');
  const assured = positionsOf(scene, 'assure');
  const discussed = positionsOf(scene, 'discuss');
  const found: Detection[] = [];
  let ask = -1_000_000;
  let hand = -1_000_000;
  for (let index = 0; index < hits.count && found.length < MAX_FOUND; index += 1) {
    const start = hits.start[index] as number;
    const end = hits.end[index] as number;
    const concept = CONCEPTS[hits.concept[index] as number];
    if (concept === 'ask') ask = start;
    else if (concept === 'hand') {
      // "The server has to share the key", "--forward-ssh-key": such a verb is a request where it is an order.
      const verb = /^(?:forward|paste|send|share|supply)(?:([_-])|$|\W)/i.exec(scene.shown.slice(start, end + 1));
      if (verb === null || (verb[1] === undefined && isOrder(scene.shown, start))) hand = start;
    } else if (concept === 'credential') {
      const isHanded = start - hand <= APART;
      const isAsked = start - ask <= APART && isOneSentence(scene.shown, ask, start);
      if (!isHanded && !(isAsked && countBetween(pressed, start - SENTENCES, start + SENTENCES) > 0)) continue;
      const from = isHanded ? hand : ask;
      // The words of an address are no request: /share/reset-your-password.
      if (!/\s/.test(scene.shown.slice(from, end))) continue;
      if (countBetween(assured, from - 60, end + 120) > 0) continue;
      if (countBetween(discussed, from - 200, end + 200) > 2) continue;
      if (
        /[?]/.test(scene.shown.slice(from, start)) ||
        /\b(?:how|where|whether|if) (?:do|to|you|can|i)\b[^.!?]{0,30}$/i.test(
          scene.shown.slice(Math.max(0, from - 40), from),
        )
      )
        continue;
      found.push({
        detector_key: 'credential_request',
        severity: 'high',
        start: from,
        end,
        reason: 'The text wants a password, a code or other credentials handed over.',
      });
    }
  }
  return found;
};

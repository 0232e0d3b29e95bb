import type { Detection, Detector } from './scene.ts';

const MAX_FOUND = 20;

/** Formats that begin like nothing else, from the documents of those who issue them; lengths are the shortest that they issue. */
const SECRET =
  /\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,100}|glpat-[\w-]{20,60}|sk_live_[A-Za-z0-9]{20,120}|rk_live_[A-Za-z0-9]{20,120}|sk-ant-[\w-]{30,120}|sk-proj-[\w-]{30,200}|sk-[A-Za-z0-9]{40,60}|xox[abprs]-[A-Za-z0-9-]{20,120}|AIza[\w-]{35}|npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,200}|hf_[A-Za-z0-9]{30,60}|SG\.[\w-]{20,24}\.[\w-]{40,50}|whsec_[A-Za-z0-9+/=]{24,100}|dop_v1_[a-f0-9]{64}|shpat_[a-fA-F0-9]{32}|eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{20,1000})|-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----|\baws_secret_access_key ?[=:] ?["']?[A-Za-z0-9/+]{40}/g;

/** Documents use these instead of a secret. */
const MADE_UP = /example|xxxx|0000000|1234567890|abcdefgh|your[_-]|test|dummy|placeholder|fake|\.{3}/i;

/** Units behind the head of a private key in which an example leaves its content out. */
const HEAD = 16;

/** A key that opens something stands in the text. */
export const secretLeak: Detector = ({ shown }) => {
  const found: Detection[] = [];
  for (const { index, 0: secret } of shown.matchAll(SECRET)) {
    // The head of a private key is the same in every example; what follows it tells.
    if (MADE_UP.test(secret.startsWith('-----') ? shown.slice(index, index + secret.length + HEAD) : secret)) continue;
    // A token in a link is for the recipient of the link.
    if (secret.startsWith('eyJ') && /[=/&?#]/.test(shown[index - 1] ?? '')) continue;
    found.push({
      detector_key: 'secret_leak',
      severity: 'high',
      start: index,
      end: index + secret.length,
      reason: 'The text holds what looks like a working key.',
    });
    if (found.length >= MAX_FOUND) break;
  }
  return found;
};

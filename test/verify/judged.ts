import assert from 'node:assert/strict';
import { verifyBundle, type Finding, type Trust } from '../../scripts/verify/checks.ts';
import { parseJson, type JsonValue } from '../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../scripts/verify/keys.ts';
import { coSignature, newKeys, plainEnvelope, TestLog, type TestBundle } from './log.ts';

/** As a file would be read. */
export const asFile = (bundle: unknown): JsonValue => parseJson(JSON.stringify(bundle));

export const trustIn = (log: TestLog, more: Partial<Trust> = {}): Trust => ({
  logs: [parseVerifierKey(log.keys.vkey)],
  policy: null,
  older: null,
  consistency: null,
  ...more,
});

export const judged = (bundle: unknown, trust: Trust): Finding[] => verifyBundle(asFile(bundle), trust).findings;
/** Checks that do not hold, co-signatures among them. */
export const failed = (bundle: unknown, trust: Trust): string[] =>
  judged(bundle, trust)
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'void')
    .map(({ check }) => check);
export const textOf = (bundle: unknown, trust: Trust, wanted: string): string => {
  const { outcome, text } = judged(bundle, trust).find(({ check }) => check === wanted) ?? assert.fail(wanted);
  return `${outcome}: ${text}`;
};

export const INDEX = 5;
export const signer = newKeys('signer');
export const log = TestLog.around(plainEnvelope, { index: INDEX, total: 23 });
/** A bundle in which everything holds, made again. */
export const honest = (): TestBundle => {
  const bundle = structuredClone(log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23 }));
  bundle.co_signatures.push(coSignature(plainEnvelope, signer));
  return bundle;
};
export const changed = (change: (bundle: TestBundle) => void): TestBundle => {
  const bundle = honest();
  change(bundle);
  return bundle;
};

/** Another character of the same alphabet in the middle. */
export const bent = (text: string): string => {
  const at = Math.floor(text.length / 2);
  return `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`;
};
/** Another bit of a byte of what is encoded. */
export const bentBytes = (text: string, at: number, encoding: 'base64' | 'base64url' | 'hex' = 'base64url'): string => {
  const bytes = Buffer.from(text, encoding);
  const index = at < 0 ? bytes.length + at : at;
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  return bytes.toString(encoding);
};

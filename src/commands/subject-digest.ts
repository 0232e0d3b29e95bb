import { hash } from 'node:crypto';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';

/** Returns what a governed act is about as JSON has it, without members that are undefined. */
export const subjectAsJson = (subject: object | null): JsonValue => JSON.parse(JSON.stringify(subject)) as JsonValue;

/** SHA-256, in hex, of what a governed act is about: what a person repeats as `seen`, and what an approval is bound to. */
export const digestOfSubject = (subject: object | null): string =>
  hash('sha256', canonicalJson(subjectAsJson(subject)), 'hex');

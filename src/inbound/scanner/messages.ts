import type { PassagesOfBody } from '../../context/ports.ts';
import type { JsonValue } from '../../json/value.ts';
import type { ScanInput } from '../reading/body.ts';
import type { Place, Verdict } from './verdict.ts';

/** The job for a body: its verdict, what may be forwarded of it, or of its text what a model or a person reads. */
export type Job = { input: ScanInput } & (
  | { wanted: 'verdict' }
  | { wanted: 'payload' }
  | { wanted: 'excerpt' | 'passages'; findings: readonly Place[] }
);

/** `unreadable`: the sentence of `UnreadableBody`. `failed`: what a detector threw. */
export type Answer =
  | { verdict: Verdict }
  | { payload: JsonValue }
  | { excerpt: string }
  | { passages: PassagesOfBody }
  | { unreadable: string }
  | { failed: string };

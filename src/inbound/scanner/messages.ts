import type { JsonValue } from '../../json/value.ts';
import type { ScanInput } from './reading/body.ts';
import type { Place, Verdict } from './verdict.ts';

/** What is wanted of a body: its verdict, what may be forwarded of it, or the part of its text around findings. */
export type Job = { input: ScanInput } & (
  | { wanted: 'verdict' }
  | { wanted: 'payload' }
  | { wanted: 'excerpt'; findings: readonly Place[] }
);

/** `unreadable`: the sentence of `UnreadableBody`. `failed`: what a detector threw. */
export type Answer =
  | { verdict: Verdict }
  | { payload: JsonValue }
  | { excerpt: string }
  | { unreadable: string }
  | { failed: string };

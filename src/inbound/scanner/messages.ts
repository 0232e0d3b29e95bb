import type { ScanInput } from './reading/body.ts';
import type { Scanned } from './verdict.ts';

export type Job = ScanInput;

/** `unreadable`: the sentence of `UnreadableBody`. `failed`: what a detector threw. */
export type Answer = { scanned: Scanned } | { unreadable: string } | { failed: string };

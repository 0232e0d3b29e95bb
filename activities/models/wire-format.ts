import { z } from 'zod';
import type { ModelOutcome, ModelQuestion } from '../../src/models/model-caller.ts';

/** How a kind of provider is spoken to. */
export interface WireFormat {
  /** Behind the base URL of the provider. */
  path: string;
  /** @param apiKey absent: the provider takes calls without one */
  headers(apiKey: string | undefined): Record<string, string>;
  body(question: ModelQuestion): object;
  /** @returns null where the value is not as the format says */
  read(value: unknown): (ModelOutcome & { outcome: 'answered' }) | null;
}

/** A number of tokens; no provider takes a prompt of a billion. */
export const TokenCount = z.int().min(0).max(1_000_000_000);

import { hash } from 'node:crypto';
import type { z } from 'zod';

declare const body: unique symbol;

/** A body that has been parsed by its reply schema, written and tagged once, to be sent many times. */
export interface PreparedJson<Body> {
  readonly text: string;
  /** A strong ETag: the hash of what is sent. */
  readonly etag: string;
  readonly [body]?: Body;
}

/** For reads that keep their answers in memory: does now, once, what the shell does for every other answer. */
export const prepareJson = <Reply extends z.ZodType>(
  reply: Reply,
  value: z.input<Reply>,
): PreparedJson<z.input<Reply>> => {
  const text = JSON.stringify(reply.parse(value));
  return { text, etag: etagOf(text) };
};

/** A body that is text already, and that its author answers for: the reply schema does not see it. */
export const writtenText = <Body>(text: string): PreparedJson<Body> => ({ text, etag: '' });

/** 16 bytes of SHA-256 are plenty to distinguish two versions of one thing. */
export const etagOf = (content: string | Buffer): string => `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;

import type { Readable } from 'node:stream';

/** All that a command sees of its surroundings. */
export interface Terminal {
  environment: Record<string, string | undefined>;
  write(text: string): void;
  complain(text: string): void;
  input: Readable;
  /** Ends commands that run until they are stopped; Ctrl-C where there is none. */
  signal?: AbortSignal;
}

/** A fault of the command itself: nothing was sent. */
export class Misuse extends Error {
  override name = 'Misuse';
}

export async function readAll(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Uint8Array | string));
  return Buffer.concat(chunks).toString();
}

/** Values of strangers may hold codes that move the cursor or change the colour of a terminal. */
export const plain = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // eslint-disable-next-line no-control-regex -- these are what is taken out
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
};

/** Columns, as wide as their widest value. */
export function table(rows: unknown[][]): string {
  const texts = rows.map((row) => row.map((value) => plain(value).replaceAll(/\s+/g, ' ')));
  const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  return texts
    .map(
      (row) =>
        `${row
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

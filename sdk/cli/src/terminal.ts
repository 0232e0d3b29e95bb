import type { Readable } from 'node:stream';

/** As keys are read in raw mode: Ctrl-C, and the one that takes a character back. */
const INTERRUPT = '\u0003';
const BACKSPACE = '\u007f';

/** All that a command sees of its surroundings. */
export interface Terminal {
  environment: Record<string, string | undefined>;
  write(text: string): void;
  complain(text: string): void;
  /** `setRawMode` where it is typed. */
  input: Readable & { setRawMode?(on: boolean): unknown };
  /** Ends commands that run until they are stopped; Ctrl-C where there is none. */
  signal?: AbortSignal;
}

/** A fault of the command itself: nothing was sent. */
export class Misuse extends Error {
  override name = 'Misuse';
}

/** The first line of the input. One that is typed is not shown: it is a secret, and what was shown stays in the window. */
export async function secretLine({ input, complain }: Terminal): Promise<string> {
  input.setRawMode?.(true);
  let line = '';
  try {
    for await (const chunk of input)
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n') return line.trim();
        if (character === INTERRUPT) throw new Misuse('Nothing was kept');
        line = character === BACKSPACE ? line.slice(0, -1) : line + character;
      }
    return line.trim();
  } finally {
    if (input.setRawMode !== undefined) {
      input.setRawMode(false);
      complain('\n');
    }
  }
}

export async function readAll(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Uint8Array | string));
  return Buffer.concat(chunks).toString();
}

/** Characters that move the cursor, change the colour or turn the direction of a terminal. */
// eslint-disable-next-line no-control-regex -- these are what is taken out
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON for programs, which is shown in a terminal as well: the same value, with the controls that JSON leaves as they are written out. */
export const json = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replaceAll(
    CONTROLS,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Values of strangers may hold such codes. */
export const plain = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.replaceAll(CONTROLS, '');
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

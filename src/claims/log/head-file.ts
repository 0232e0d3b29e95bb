import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { faultPoint } from '../../commands/fault-points.ts';

/** Where the head of this log stands outside of the database: one file a log, so that several logs may share a folder. */
export const headFileOf = (folder: string, logId: string): string => join(folder, `log-head-${logId}`);

/** Where it stands which batches of this log have a registration, beside its head. */
export const registeredFileOf = (folder: string, logId: string): string => join(folder, `log-registered-${logId}`);

/** The file or its folder cannot be used; the message is a text that says what to do. */
export class HeadFileFault extends Error {
  override readonly name = 'HeadFileFault';
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error);

const faultOf = (path: string, what: string, error: unknown): HeadFileFault =>
  new HeadFileFault(
    `The file ${basename(path)} of the log cannot be ${what} (${codeOf(error)}). Let the user of the worker read and write LOG_HEAD_DIR, and see ` +
      'that its disk has room; the log goes on by itself.',
    { cause: error },
  );

/** A signed note: the newest checkpoint that was published from here, or which batches are registered; null where there is no file. @throws HeadFileFault */
export async function readHeadFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw faultOf(path, 'read', error);
  }
}

/** Replaces the file in one step, and returns when it is on the disk. The caller holds the lock of the log. @throws HeadFileFault */
export async function writeHeadFile(path: string, note: string): Promise<void> {
  try {
    await replace(path, note);
  } catch (error) {
    throw faultOf(path, 'written', error);
  }
}

async function replace(path: string, note: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = `${path}.new`;
  await writeToDisk(temporary, note);
  faultPoint('appendToLog:head-written');
  await rename(temporary, path);
  const directory = await open(folder);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function writeToDisk(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

import { basename } from 'node:path';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { readHeadFile } from './head-file.ts';
import type { Log } from './log-key.ts';
import { findLargestRegistered, type LogRow } from './queries.ts';
import { registeredFrom, registeredIn, type Registered } from './registration.ts';
import { NoteFault } from './signed-note.ts';
import { LogStopped } from './stopped.ts';

const RESTORE = 'it was changed by hand. Restore a copy of the database in which it is whole.';

/**
 * Which batches have a registration, by the database: from the size that the log itself has signed up to the largest that has one. Between them
 * one without is found when it is read.
 * @returns null: none has one
 * @throws LogStopped where one of the two is there without the other, or the log did not sign what is said
 */
export async function registeredInDatabase(
  connection: CommonQueryMethods,
  log: Log,
  { registered_from: note }: Pick<LogRow, 'registered_from'>,
): Promise<Registered | null> {
  const to = await findLargestRegistered(connection);
  if (note === null && to === null) return null;
  if (note === null)
    throw new LogStopped(`Batches of the log have a registration, and claim_log.registered_from is gone: ${RESTORE}`);
  if (to === null)
    throw new LogStopped(
      `claim_log.registered_from says that batches of the log have a registration, and none has one: log_checkpoints lost them, ${RESTORE}`,
    );
  try {
    return { from: registeredFrom(log, note), to };
  } catch (error) {
    if (!(error instanceof NoteFault)) throw error;
    throw new LogStopped(`The log did not sign what claim_log.registered_from says: ${RESTORE}`);
  }
}

/**
 * The same by the file, which no writer of the database reaches. Batches are registered and never lose that, so the database has these
 * and perhaps more.
 * @returns null where there is no file
 * @throws LogStopped, HeadFileFault
 */
export async function keptRegistered(log: Log, path: string, here: Registered | null): Promise<Registered | null> {
  const note = await readHeadFile(path);
  if (note === null) return null;
  const kept = statedIn(note, log, path);
  if (here !== null && here.from <= kept.from && here.to >= kept.to) return kept;
  const has = here === null ? 'none has one' : `those from ${here.from} to ${here.to} have one`;
  throw new LogStopped(
    `The log signed registrations of its batches from ${kept.from} to ${kept.to} (${basename(path)}), and in the database ${has}: rows of ` +
      'log_checkpoints or claim_log.registered_from were changed by hand, or it is an older copy. Restore a copy in which they are whole. Never ' +
      'delete the file to go on: what was changed would be signed.',
  );
}

function statedIn(note: string, log: Log, path: string): Registered {
  try {
    return registeredIn(log, note);
  } catch (error) {
    if (!(error instanceof NoteFault)) throw error;
    throw new LogStopped(
      `${basename(path)} is not what the log ${log.origin} signed of its registrations. Put the file back as it was; the log goes on when it is there.`,
    );
  }
}

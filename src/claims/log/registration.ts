import type { KeyObject } from 'node:crypto';
import { NoteFault, parseNote, signNote, verifyNote } from './signed-note.ts';

/**
 * The log states this of a batch besides its root, signed when the batch is appended: rows say it too, and a writer of the database changes
 * rows. The first lines keep these notes apart from checkpoints, whose second line is a number.
 */
export interface Registration {
  /** The address of the service then. */
  registry: string;
  /** Seconds since 1970. */
  registeredAt: number;
}

const BATCH = 'carnet.log/registration/v1';
const FROM = 'carnet.log/registered-from/v1';
const KEPT = 'carnet.log/registered/v1';

interface Signer {
  origin: string;
  privateKey(): KeyObject;
}

interface Verifier {
  origin: string;
  vkey: string;
}

const signed = ({ origin, privateKey }: Signer, lines: readonly (string | number)[]): string =>
  signNote(`${lines.join('\n')}\n`, { name: origin, privateKey: privateKey() });

/** The seconds of a moment of the database. */
export const secondsOf = (moment: string): number => Math.floor(Date.parse(moment) / 1_000);

export const signRegistration = (
  log: Signer,
  { size, root, registry, registeredAt }: Registration & { size: number; root: Buffer },
): string => signed(log, [BATCH, log.origin, size, root.toString('base64'), registry, registeredAt]);

/** Reads what a registration states, without its signature being verified. @throws NoteFault */
export function parseRegistration(note: string): Registration & { origin: string; size: number; root: Buffer } {
  const [kind, origin = '', size, root = '', registry = '', registeredAt, ...more] = parseNote(note).text.split('\n');
  if (kind !== BATCH || more.length !== 1) throw new NoteFault('It is no registration of a batch.');
  return {
    origin,
    size: Number(size),
    root: Buffer.from(root, 'base64'),
    registry,
    registeredAt: Number(registeredAt),
  };
}

/** Whether the log signed that the batch of this tree has this registry and time. */
export function isRegistered(
  { origin, vkey }: Verifier,
  note: string,
  { size, root, registry, registeredAt }: Registration & { size: number; root: Buffer },
): boolean {
  try {
    verifyNote(note, [vkey]);
    const said = parseRegistration(note);
    return (
      said.origin === origin &&
      said.size === size &&
      said.root.equals(root) &&
      said.registry === registry &&
      said.registeredAt === registeredAt
    );
  } catch (error) {
    if (error instanceof NoteFault) return false;
    throw error;
  }
}

/** States from which size on every batch has a registration. */
export const signRegisteredFrom = (log: Signer, size: number): string => signed(log, [FROM, log.origin, size]);

/** @throws NoteFault for what the log did not sign */
export function registeredFrom({ origin, vkey }: Verifier, note: string): number {
  const [kind, of, size, ...more] = verifyNote(note, [vkey]).text.split('\n');
  if (kind !== FROM || of !== origin || more.length !== 1) throw new NoteFault('It says of no size of this log.');
  return Number(size);
}

/** Which batches have a registration: those of these sizes, both included. */
export interface Registered {
  from: number;
  to: number;
}

/** States outside of the database which batches have a registration. */
export const signRegistered = (log: Signer, { from, to }: Registered): string =>
  signed(log, [KEPT, log.origin, from, to]);

/** @throws NoteFault for what the log did not sign */
export function registeredIn({ origin, vkey }: Verifier, note: string): Registered {
  const [kind, of, from, to, ...more] = verifyNote(note, [vkey]).text.split('\n');
  if (kind !== KEPT || of !== origin || more.length !== 1) throw new NoteFault('It says of no batches of this log.');
  return { from: Number(from), to: Number(to) };
}

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { defineCache } from '../../context/caches.ts';
import type { Context } from '../../context/context.ts';
import { thumbprintOf } from '../../fields/thumbprint.ts';
import { newId } from '../../ids/ids.ts';
import { EMPTY_ROOT } from './merkle.ts';
import { findLog, insertLog, readTime, replaceEncryptedKey, type LogRow } from './queries.ts';
import { secondsOf, signRegisteredFrom, signRegistration } from './registration.ts';
import { checkpointText, NoteFault, parseCheckpoint, signNote, verifyNote, vkeyOf } from './signed-note.ts';

/** The properties of the log that never change. */
export interface Log {
  id: string;
  /** Names it in its checkpoints. */
  origin: string;
  /** The thumbprint of its key (RFC 7638). */
  kid: string;
  /** The public key, base64url. */
  x: string;
  publicKey: KeyObject;
  /** Ed25519. @throws Error where no key of ENCRYPTION_KEY opens it. */
  privateKey(): KeyObject;
  /** As witnesses and verifiers are configured with it (C2SP signed-note). */
  vkey: string;
}

/** The context under which the private part is sealed: it opens as that of its own log only. */
const encryptionContext = (logId: string): string => `claim_log:${logId}`;

const publicKeyOf = (x: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

const privateKeyOf = (x: string, d: string): KeyObject =>
  createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' });

/** The checkpoint of a tree: a note signed by the log. */
export const signCheckpoint = (
  { origin, privateKey }: Pick<Log, 'origin' | 'privateKey'>,
  { size, root }: { size: number; root: Buffer },
): string => signNote(checkpointText({ origin, size, rootHash: root }), { name: origin, privateKey: privateKey() });

/**
 * The tree that this log signed in a checkpoint. Every other statement of a root, in a row or a receipt, has no signature.
 * @throws NoteFault for a note that is no checkpoint of this log, or that its key did not sign
 */
export function signedTree(
  { origin, vkey }: Pick<Log, 'origin' | 'vkey'>,
  note: string,
): { size: number; rootHash: Buffer } {
  const checkpoint = parseCheckpoint(verifyNote(note, [vkey]).text);
  if (checkpoint.origin !== origin) throw new NoteFault(`It is a checkpoint of ${checkpoint.origin}.`);
  return checkpoint;
}

/** Made once for a service: key and origin stay, no matter which address it has later. */
async function makeLog({ pool, encryption, config }: Context): Promise<void> {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const id = newId('log');
  const origin = `carnet.log/${id}`;
  const signer = { origin, privateKey: () => privateKeyOf(x, d) };
  const empty = { size: 0, root: EMPTY_ROOT };
  const note = signCheckpoint(signer, empty);
  const createdAt = await readTime(pool);
  const privateKey = encryption.encrypt(d, encryptionContext(id));
  await insertLog(pool, {
    id,
    origin,
    x,
    privateKey,
    note,
    kid: thumbprintOf(x),
    root: EMPTY_ROOT,
    registry: config.publicBaseUrl,
    createdAt,
    registration: signRegistration(signer, {
      ...empty,
      registry: config.publicBaseUrl,
      registeredAt: secondsOf(createdAt),
    }),
    registeredFrom: signRegisteredFrom(signer, 0),
  });
}

/** Under the first key of ENCRYPTION_KEY, so that the one that sealed it can leave the list. */
async function encryptAgain({ pool, encryption, log }: Context, { id, private_key: before }: LogRow): Promise<void> {
  if (encryption.isCurrent(before)) return;
  try {
    const after = encryption.encrypt(encryption.decrypt(before, encryptionContext(id)), encryptionContext(id));
    await replaceEncryptedKey(pool, { before, after });
    log.info('the key of the claims log was sealed under the first key of ENCRYPTION_KEY');
  } catch (error) {
    log.error({ err: error }, 'no key of ENCRYPTION_KEY opens the key of the claims log: nothing can be appended');
  }
}

async function openLog(context: Context): Promise<Log> {
  let row = await findLog(context.pool);
  if (row === null) {
    await makeLog(context);
    row = await findLog(context.pool);
    context.delivery.messagesCommitted();
  }
  if (row === null) throw new Error('There is no log: the table claim_log was changed by hand.');
  await encryptAgain(context, row);
  const { id, origin, kid, x, private_key: sealed } = row;
  const publicKey = publicKeyOf(x);
  let opened: KeyObject | undefined;
  const privateKey = (): KeyObject =>
    (opened ??= privateKeyOf(x, context.encryption.decrypt(sealed, encryptionContext(id))));
  return { id, origin, kid, x, publicKey, privateKey, vkey: vkeyOf(origin, publicKey) };
}

/** The log of this process, read once: what it holds never changes. */
class OpenedLog {
  readonly #context: Context;
  #opening: Promise<Log> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  open(): Promise<Log> {
    return (this.#opening ??= openLog(this.#context).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    }));
  }
}

const openedLog = defineCache((context) => new OpenedLog(context));

/** The log of the service; the first call of a new service makes it. */
export const openedLogOf = (context: Context): Promise<Log> => context.caches.get(openedLog).open();

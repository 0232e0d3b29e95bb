import { defineCache } from '../../context/caches.ts';
import type { Context } from '../../context/context.ts';
import { insertFirstKeys, listSigningKeys, replaceEncrypted, type SigningKeyRow } from './queries.ts';
import { newSigningKey, encryptionContext, SigningKey } from './signing-key.ts';
import { headerSegment } from '../token.ts';

/** Announced to every process when the keys have changed. */
export const SIGNING_KEYS_CHANGED = 'signing-keys';

/**
 * Keys are read again when a change is announced, and after this long, so that a retired one leaves the JWKS in time.
 */
const FRESH_MS = 60_000;
/** The same while this process gets no announcements. */
const FRESH_WITHOUT_EVENTS_MS = 1_000;

/** The keys as of one read. */
export class KeyRing {
  readonly readAt = performance.now();
  /** Undefined: no key was made yet. */
  readonly active: SigningKey | undefined;
  /** Every key that ever existed, by kid. */
  readonly all: ReadonlyMap<string, SigningKey>;
  /** Those whose tokens count: the active one, the next, and retired ones whose tokens may still be valid. */
  readonly counting: ReadonlyMap<string, SigningKey>;
  /** The same by the first segment of their passports. */
  readonly byHeader: ReadonlyMap<string, SigningKey>;

  constructor(keys: readonly SigningKey[]) {
    const counting = keys.filter(({ counts }) => counts);
    this.active = keys.find(({ status }) => status === 'active');
    this.all = new Map(keys.map((key) => [key.kid, key]));
    this.counting = new Map(counting.map((key) => [key.kid, key]));
    this.byHeader = new Map(counting.map((key) => [headerSegment(key.kid, 'JWT'), key]));
  }
}

/** The keys of one process, read when they are needed. */
class SigningKeys {
  readonly #context: Context;
  #ring: KeyRing | undefined;
  #reading: Promise<KeyRing> | undefined;
  #readingAfter: Promise<KeyRing> | undefined;
  #changes = 0;

  constructor(context: Context) {
    this.#context = context;
    context.rowEvents.subscribe((id) => {
      if (id !== SIGNING_KEYS_CHANGED && id !== '*') return;
      this.#changes += 1;
      this.#ring = undefined;
    });
  }

  /** The ring while it is fresh; not a promise, so that a caller on the hot path need not wait. */
  get fresh(): KeyRing | undefined {
    const limit = this.#context.rowEvents.listening ? FRESH_MS : FRESH_WITHOUT_EVENTS_MS;
    return this.#ring !== undefined && performance.now() - this.#ring.readAt < limit ? this.#ring : undefined;
  }

  async ring(): Promise<KeyRing> {
    return this.fresh ?? (await this.reread());
  }

  /**
   * Reads the keys as they are now: a read that began before this call does not count. At most one read runs, and one
   * more waits for all callers since.
   */
  reread(): Promise<KeyRing> {
    if (this.#reading === undefined) return (this.#reading = this.#read().finally(() => (this.#reading = undefined)));
    this.#readingAfter ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#readingAfter = undefined;
        return this.reread();
      });
    return this.#readingAfter;
  }

  async #read(): Promise<KeyRing> {
    const changes = this.#changes;
    const { encryption, pool } = this.#context;
    const rows = await listSigningKeys(pool);
    const ring = new KeyRing(rows.map((row) => new SigningKey(row, encryption)));
    if (changes === this.#changes) this.#ring = ring;
    await this.#encryptAgain(rows);
    return ring;
  }

  /** Under the first key of ENCRYPTION_KEY, so that the one that sealed them can leave the list. */
  async #encryptAgain(rows: readonly SigningKeyRow[]): Promise<void> {
    const { encryption, pool, log } = this.#context;
    for (const { kid, private_key: before } of rows.filter((row) => !encryption.isCurrent(row.private_key))) {
      try {
        const after = encryption.encrypt(encryption.decrypt(before, encryptionContext(kid)), encryptionContext(kid));
        await replaceEncrypted(pool, kid, { before, after });
        log.info({ kid }, 'a signing key was sealed under the first key of ENCRYPTION_KEY');
      } catch (error) {
        log.error({ err: error, kid }, 'no key of ENCRYPTION_KEY opens this signing key: it verifies, but cannot sign');
      }
    }
  }
}

const keysOfProcess = defineCache((context) => new SigningKeys(context));

/** The keys of this process. */
export const signingKeys = (context: Context): Pick<SigningKeys, 'fresh' | 'ring' | 'reread'> =>
  context.caches.get(keysOfProcess);

/**
 * The key that signs now; the first call of a new service makes its keys. Another process may just have rotated, so the
 * statement that issues checks the kid.
 */
export async function activeKey(context: Context): Promise<SigningKey> {
  const keys = signingKeys(context);
  const { active } = keys.fresh ?? (await keys.ring());
  if (active !== undefined) return active;
  const { pool, encryption } = context;
  await insertFirstKeys(pool, newSigningKey(encryption), newSigningKey(encryption));
  const made = (await keys.reread()).active;
  if (made === undefined) throw new Error('No signing key is active: the table signing_keys was changed by hand.');
  return made;
}

/**
 * The key of a passport that is signed again, regardless of its status now. @throws Error where it never existed.
 */
export async function keyOf(context: Context, kid: string): Promise<SigningKey> {
  const keys = signingKeys(context);
  const key = (await keys.ring()).all.get(kid) ?? (await keys.reread()).all.get(kid);
  if (key === undefined) throw new Error(`There is no signing key ${kid}.`);
  return key;
}

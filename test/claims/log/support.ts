import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { decode } from 'cbor2';
import pg from 'pg';
import { pino } from 'pino';
import { z } from 'zod';
import { issueClaim } from '../../../src/claims/index.ts';
import { appendBatch, publishLog } from '../../../src/claims/log/append.ts';
import { openedLogOf } from '../../../src/claims/log/log-key.ts';
import { receiptsOf } from '../../../src/claims/log/receipts.ts';
import { troubleOfLog } from '../../../src/claims/log/stopped.ts';
import type { Context } from '../../../src/context/context.ts';
import { sql } from '../../../src/database/pool.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { openContext } from '../../../src/process/open-context.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { inclusionVerifies, leafHash, rootOf } from './rfc9162.ts';
import canonicalize from 'canonicalize';

/** A log on a database of its own, where no life runs. */
export interface OwnLog extends OwnContext {
  /** Another process on the same rows, with the same settings. */
  another(): Promise<Context>;
}

export async function ownLog(): Promise<OwnLog> {
  const own = await ownContext();
  const closing: (() => Promise<void>)[] = [];
  return {
    ...own,
    async another() {
      const context = await openContext(own.context.config, pino({ level: 'silent' }), own.context.delivery);
      closing.push(() => context.close());
      return context;
    },
    async close() {
      await Promise.all(closing.map((close) => close()));
      await own.close();
    },
  };
}

/** Copies what a backup has: every table of the log and of claims, as they are now. @returns restores it */
export async function backUpLog(client: pg.Client, name: string): Promise<() => Promise<void>> {
  const tables = [
    'claims',
    'claim_log',
    'log_pending',
    'log_entries',
    'log_nodes',
    'log_checkpoints',
    'log_cosignatures',
  ];
  for (const table of tables) await client.query(`create table ${name}_${table} as table ${table}`);
  return async () => {
    // As pg_restore does it: without triggers.
    await client.query(`set session_replication_role = replica`);
    for (const table of tables) {
      await client.query(`delete from ${table}`);
      await client.query(`insert into ${table} overriding system value select * from ${name}_${table}`);
    }
  };
}

let issued = 0;

/** Records claims of the service, which wait for their places. @returns their ids */
export async function recordClaims({ pool }: Pick<Context, 'pool'>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    ids.push(
      await issueClaim(pool, {
        type: 'mission',
        subject: 'carnet://agent/ag_1',
        payload: { number: (issued += 1) },
        agentId: null,
        missionRef: null,
        operatorIds: [],
      }),
    );
  }
  return ids;
}

/**
 * For the block that calls it: before each test a log of its own, and a connection that changes rows as people do by hand, without triggers.
 * @param set takes them into the variables of the block
 */
export function eachChangedLog(set: (made: { context: Context; client: pg.Client }) => unknown) {
  let own: OwnLog;
  let client: pg.Client;
  beforeEach(async () => {
    own = await ownLog();
    client = new pg.Client({ connectionString: own.context.config.databaseUrl });
    await client.connect();
    await client.query(`set session_replication_role = replica`);
    set({ context: own.context, client });
  });
  afterEach(async () => {
    await client.end();
    await own.close();
  });
  const stopped = async (): Promise<string | null> => (await troubleOfLog(own.context)).stopped;
  return {
    stopped,
    /** Records so many claims, and publishes them. */
    async append(count: number): Promise<string[]> {
      const ids = await recordClaims(own.context, count);
      await appendBatch(own.context);
      await publishLog(own.context);
      return ids;
    },
    async assertStopped(why: RegExp): Promise<void> {
      const before = await sizesOf(own.context);
      await recordClaims(own.context, 1);
      assert.equal(await appendBatch(own.context), null);
      assert.equal((await sizesOf(own.context)).tree_size, before.tree_size);
      assert.match((await stopped()) ?? '', why);
    },
    async assertRuns(): Promise<void> {
      assert.notEqual(await appendBatch(own.context), null);
      assert.notEqual(await publishLog(own.context), null);
      assert.equal(await stopped(), null);
    },
  };
}

/** A life of the log that has something to do. @returns its id */
export async function waitingLog(context: Context): Promise<string> {
  const { id } = await openedLogOf(context);
  await recordClaims(context, 1);
  return lifeId['log-sequencer'](id);
}

/** A signed note with one signature, taken apart and verified by what c2sp.org/signed-note says alone. */
export function readCheckpoint(note: string, x: string): { origin: string; size: number; root: Buffer } {
  const [, text = '', name = '', signature = ''] = /^([^]*\n)\n— (\S+) (\S+)\n/.exec(note) ?? [];
  const [origin = '', size = '', root = ''] = text.split('\n');
  assert.equal(name, origin);
  const raw = Buffer.from(x, 'base64url');
  const bytes = Buffer.from(signature, 'base64');
  const keyId = createHash('sha256').update(`${name}\n`).update(Buffer.of(1)).update(raw).digest().subarray(0, 4);
  assert(bytes.subarray(0, 4).equals(keyId));
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  assert(verify(null, Buffer.from(text), key, bytes.subarray(4)), 'the log signed its checkpoint');
  return { origin, size: Number(size), root: Buffer.from(root, 'base64') };
}

const ClaimRow = z.object({ id: z.string(), envelope: z.string() });

/** The leaf of a claim, from what was submitted, by other code than the service's. */
export function leafOf(envelope: Record<string, unknown>): Buffer {
  const { receipt: _receipt, co_signatures: _coSignatures, ...signed } = envelope;
  return leafHash(Buffer.from(canonicalize(signed) ?? ''));
}

/** Asserts that a receipt proves this claim in the tree of its checkpoint. */
export function assertReceipt(
  { receipt, checkpoint }: { receipt: { proof: object | null } | null; checkpoint: string | null },
  { envelope, x }: { envelope: Record<string, unknown>; x: string },
): void {
  assert(receipt?.proof && checkpoint !== null);
  const proof = receipt.proof as { bytes: string; log_index: number; tree_size: number; root_hash: string };
  const [size, index, hashes] = decode(Buffer.from(proof.bytes, 'base64url')) as [number, number, Uint8Array[]];
  const signed = readCheckpoint(checkpoint, x);
  assert.deepEqual(
    { size, index, root: signed.root.toString('hex'), signedSize: signed.size },
    { size: proof.tree_size, index: proof.log_index, root: proof.root_hash, signedSize: size },
  );
  const path = hashes.map((hash) => Buffer.from(hash));
  assert(inclusionVerifies({ index, size, leaf: leafOf(envelope), root: signed.root, proof: path }));
}

const Entry = z.object({ log_index: z.number(), claim_id: z.string() });
const Checkpoint = z.object({ tree_size: z.number(), note: z.string() });
const Sizes = z.object({ tree_size: z.number(), published_size: z.number(), pending: z.number() });

export const sizesOf = ({ pool }: Pick<Context, 'pool'>): Promise<z.infer<typeof Sizes>> =>
  pool.one(sql.type(Sizes)`
    select tree_size, published_size, (select count(*)::int from log_pending) as pending from claim_log`);

/**
 * Asserts that the log is whole: every claim has one place, places have no gap, every checkpoint is signed and has the root of its first
 * leaves, and every receipt verifies.
 */
export async function assertWholeLog(context: Context): Promise<void> {
  const { pool } = context;
  const { x } = await openedLogOf(context);
  const claims = await pool.any(sql.type(ClaimRow)`select id, envelope from claims order by seq`);
  const envelopes = new Map(claims.map(({ id, envelope }) => [id, JSON.parse(envelope) as Record<string, unknown>]));
  const entries = await pool.any(sql.type(Entry)`select log_index, claim_id from log_entries order by log_index`);
  assert.deepEqual(
    entries.map((entry) => entry.log_index),
    claims.map((_, index) => index),
  );
  assert.deepEqual(entries.map((entry) => entry.claim_id).toSorted(), claims.map(({ id }) => id).toSorted());
  assert.deepEqual(await sizesOf(context), { tree_size: claims.length, published_size: claims.length, pending: 0 });

  const leaves = entries.map((entry) => leafOf(envelopes.get(entry.claim_id) ?? {}));
  const checkpoints = await pool.any(sql.type(Checkpoint)`
    select tree_size, note from log_checkpoints order by tree_size`);
  for (const { tree_size: size, note } of checkpoints) {
    const signed = readCheckpoint(note, x);
    assert.equal(signed.size, size);
    assert(signed.root.equals(rootOf(leaves.slice(0, size))), `the root of ${size}`);
  }
  assert.equal(checkpoints.at(-1)?.tree_size, claims.length);

  const receipts = await receiptsOf(pool, [...envelopes.keys()]);
  for (const [id, envelope] of envelopes) {
    assertReceipt(receipts.get(id) ?? { receipt: null, checkpoint: null }, { envelope, x });
  }
}

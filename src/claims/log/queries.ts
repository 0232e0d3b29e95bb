import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';

const bytes = z.instanceof(Buffer);
const Nothing = z.object({});

const LogRowSchema = z.object({
  id: z.string(),
  origin: z.string(),
  kid: z.string(),
  x: z.string(),
  private_key: z.string(),
  tree_size: z.number(),
  root_hash: bytes,
  published_size: z.number(),
  stopped_reason: z.string().nullable(),
  unproven_since: z.string().nullable(),
  unproven_size: z.number().nullable(),
  damaged_index: z.number().nullable(),
  witnessed_size: z.number().nullable(),
  witnessed_root: bytes.nullable(),
  confirmed_size: z.number().nullable(),
  registered_from: z.string().nullable(),
  contradicted_by: z.string().nullable(),
  contradicted_reason: z.string().nullable(),
  damaged_from: z.number().nullable(),
  walked_size: z.number(),
  walk_rounds: z.number(),
});
export type LogRow = z.infer<typeof LogRowSchema>;

const LockedLogRowSchema = LogRowSchema.extend({ now: z.string() });
/** With the moment at which it was locked, by the clock of the database. */
export type LockedLogRow = z.infer<typeof LockedLogRowSchema>;

const columns = sql.fragment`
  id, origin, kid, x, private_key, tree_size, root_hash, published_size, stopped_reason, unproven_since, unproven_size, damaged_index,
  witnessed_size, witnessed_root, confirmed_size, registered_from, contradicted_by, contradicted_reason, damaged_from, walked_size, walk_rounds`;

/** Null before the first start. */
export const findLog = (connection: CommonQueryMethods): Promise<LogRow | null> =>
  connection.maybeOne(sql.type(LogRowSchema)`select ${columns} from claim_log`);

/** Its holder is the only one that appends or publishes, until the end of the transaction. */
export const lockLog = (connection: CommonQueryMethods): Promise<LockedLogRow> =>
  connection.one(
    sql.type(LockedLogRowSchema)`select ${columns}, clock_timestamp() as now from claim_log for no key update`,
  );

interface NewLog extends Pick<LogRow, 'id' | 'origin' | 'kid' | 'x'> {
  /** Sealed. */
  privateKey: string;
  root: Buffer;
  note: string;
  registry: string;
  /** Signed for the moment `createdAt`. */
  registration: string;
  registeredFrom: string;
  createdAt: string;
}

/** Does nothing where there is a log. */
export async function insertLog(connection: CommonQueryMethods, log: NewLog): Promise<void> {
  await connection.query(sql.type(Nothing)`
    select make_log(${log.id}, ${log.origin}, ${log.kid}, ${log.x}, ${log.privateKey}, ${sql.binary(log.root)}, ${log.note}, ${log.registry},
      ${log.registration}, ${log.registeredFrom}, ${log.createdAt}::timestamptz)`);
}

/** Replaces only what was read: two processes may encrypt the key again in parallel. */
export async function replaceEncryptedKey(
  connection: CommonQueryMethods,
  { before, after }: { before: string; after: string },
): Promise<void> {
  await connection.query(sql.type(Nothing)`update claim_log set private_key = ${after} where private_key = ${before}`);
}

export async function noteStopped(connection: CommonQueryMethods, reason: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update claim_log set stopped_reason = ${reason}, stopped_at = clock_timestamp() where stopped_reason is distinct from ${reason}`);
}

/** The log runs again: nothing that spoke against its tree does any more. */
export async function noteRunning(connection: CommonQueryMethods): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update claim_log set stopped_reason = null, stopped_at = null, damaged_index = null, damaged_from = null, witnessed_size = null,
      witnessed_root = null, contradicted_by = null, contradicted_reason = null`);
}

/**
 * Stops the log: the proof of the claim at this place does not lead to the root that was signed. It stays so until it does; the first place that is
 * found stands.
 */
export async function noteDamaged(connection: CommonQueryMethods, index: number, reason: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update claim_log set damaged_index = ${index}, stopped_reason = coalesce(stopped_reason, ${reason}),
      stopped_at = coalesce(stopped_at, clock_timestamp())
    where damaged_index is null`);
}

/** Stops the log until its tree holds this one, which the log and a witness have signed; the largest that is known stands. */
export async function noteWitnessed(
  connection: CommonQueryMethods,
  { size, rootHash, reason }: { size: number; rootHash: Buffer; reason: string },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update claim_log set witnessed_size = ${size}, witnessed_root = ${sql.binary(rootHash)}, stopped_reason = coalesce(stopped_reason, ${reason}),
      stopped_at = coalesce(stopped_at, clock_timestamp())
    where witnessed_size is null or witnessed_size < ${size}`);
}

const Age = z.object({ seconds: z.number() });

/** For how many seconds the oldest claim without a receipt waits for it; 0: none does. */
export const ageOfOldestWaiting = (connection: CommonQueryMethods): Promise<number> =>
  connection.oneFirst(sql.type(Age)`
    select coalesce(extract(epoch from clock_timestamp() - least(
      (select created_at from log_pending order by seq limit 1),
      (select c.created_at from claim_log l join log_checkpoints c on c.tree_size > l.published_size order by c.tree_size limit 1)
    )), 0)::float8 as seconds`);

/** Notes that the head of what is published was taken from the database alone. The first time stands. */
export async function noteUnproven(connection: CommonQueryMethods): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update claim_log set unproven_since = clock_timestamp(), unproven_size = published_size where unproven_since is null`);
}

/** The head that was confirmed stands in its file. */
export async function noteHeadWritten(connection: CommonQueryMethods): Promise<void> {
  await connection.query(sql.type(Nothing)`update claim_log set confirmed_size = null`);
}

/** Stops the log: the nodes of the slice from this leaf on are not what was signed. It stays so until they are. */
export async function noteDamagedSlice(connection: CommonQueryMethods, from: number, reason: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update claim_log set damaged_from = ${from}, stopped_reason = coalesce(stopped_reason, ${reason}),
      stopped_at = coalesce(stopped_at, clock_timestamp())
    where damaged_from is null`);
}

const Slice = z.object({ walked_size: z.number() });

/** The place from which a slice is walked now; null where one was walked a moment ago. Of several that ask in parallel one is given it. */
export const takeSlice = (connection: CommonQueryMethods, everySeconds: number): Promise<number | null> =>
  connection.maybeOneFirst(sql.type(Slice)`
    update claim_log set walked_at = clock_timestamp()
    where published_size > 0 and (walked_at is null
      or walked_at not between clock_timestamp() - ${everySeconds} * interval '1 second' and clock_timestamp())
    returning walked_size`);

/** @param to 0: the walk has come to the end of the tree, and begins again. */
export async function noteWalked(
  connection: CommonQueryMethods,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update claim_log set walked_size = ${to}, walk_rounds = walk_rounds + (${to} = 0)::int where walked_size = ${from}`);
}

/** Batches without a registration, the largest first: those below `below`, and those above every batch that has one. */
export const listUnregistered = (
  connection: CommonQueryMethods,
  { below, limit }: { below: number; limit: number },
): Promise<readonly CheckpointRow[]> =>
  connection.any(sql.type(CheckpointRow)`
    select ${checkpointColumns} from log_checkpoints c
    where c.registration is null and (c.tree_size < ${below} or c.tree_size > ${largestRegistered})
    order by c.tree_size desc limit ${limit}`);

/** Whether any batch has no registration. */
export const hasUnregistered = (connection: CommonQueryMethods): Promise<boolean> =>
  connection.oneFirst(sql.type(z.object({ some: z.boolean() }))`
    select exists (select from log_checkpoints where registration is null) as some`);

/** Adds a registration to a batch that has none. */
export async function addRegistration(
  connection: CommonQueryMethods,
  size: number,
  registration: string,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update log_checkpoints set registration = ${registration} where tree_size = ${size} and registration is null`);
}

export async function noteRegisteredFrom(connection: CommonQueryMethods, note: string): Promise<void> {
  await connection.query(sql.type(Nothing)`update claim_log set registered_from = ${note}`);
}

/** The largest tree that has a registration; null: none has. */
export const findLargestRegistered = (connection: CommonQueryMethods): Promise<number | null> =>
  connection.oneFirst(sql.type(z.object({ size: z.number().nullable() }))`select ${largestRegistered} as size`);

const StepRow = z.object({
  status: z.enum(['gone', 'idle', 'waiting', 'stopped']),
  tree_size: z.number(),
  published_size: z.number(),
});

/** One look of a life: deletes the messages that woke it. `waiting`: claims wait, or what is appended is not published. */
export const advanceLogRow = (connection: CommonQueryMethods, id: string): Promise<z.infer<typeof StepRow>> =>
  connection.one(sql.type(StepRow)`select * from advance_log(${id})`);

const PendingRow = z.object({ seq: z.number(), leaf_hash: bytes });

/** Lists what waits for a place, in the order in which it is given one. */
export const listPending = (
  connection: CommonQueryMethods,
  limit: number,
): Promise<readonly z.infer<typeof PendingRow>[]> =>
  connection.any(sql.type(PendingRow)`select seq, leaf_hash from log_pending order by seq limit ${limit}`);

/** Deletes the messages that would wake a life; somebody looks ten seconds later, as after every look. Each was committed with its claim, so a process that reads afterwards what waits finds that. */
export async function deleteMessagesOf(connection: CommonQueryMethods, life: string): Promise<void> {
  await connection.query(
    sql.type(
      Nothing,
    )`select begin_look(${life}), look_again(${life}, 'op_platform', clock_timestamp() + interval '10 seconds')`,
  );
}

/** Leaves a message for the life of the log, which nobody has looked after. */
export async function wakeLog(connection: CommonQueryMethods, life: string): Promise<void> {
  await connection.query(sql.type(Nothing)`select wake_life(${life}, 'op_platform')`);
}

interface Batch {
  /** The size of the tree before. */
  size: number;
  seqs: number[];
  nodes: Buffer;
  root: Buffer;
  note: string;
  registry: string;
  /** Signed for the moment `createdAt`. */
  registration: string;
  /** Null: a batch before this one said it. */
  registeredFrom: string | null;
  createdAt: string;
}

/**
 * Appends a batch under the lock that the caller holds: places, nodes (32 bytes each, by level and index) and checkpoint.
 * @throws Error of Postgres where the tree has another size, or a claim does not wait any more
 */
export async function insertBatch(connection: CommonQueryMethods, batch: Batch): Promise<void> {
  await connection.query(sql.type(Nothing)`
    select append_to_log(${batch.size}, ${sql.array(batch.seqs, 'int8')}, ${sql.binary(batch.nodes)}, ${sql.binary(batch.root)},
      ${batch.note}, ${batch.registry}, ${batch.registration}, ${batch.registeredFrom}, ${batch.createdAt}::timestamptz)`);
}

/** From now on readers see the tree up to this size. */
export async function markPublished(connection: CommonQueryMethods, size: number): Promise<void> {
  await connection.query(
    sql.type(
      Nothing,
    )`update claim_log set published_size = ${size} where published_size < ${size} and tree_size >= ${size}`,
  );
}

const CheckpointRow = z.object({
  tree_size: z.number(),
  note: z.string(),
  registry: z.string(),
  created_at: z.string(),
  registration: z.string().nullable(),
});
export type CheckpointRow = z.infer<typeof CheckpointRow>;

const largestRegistered = sql.fragment`
  (select r.tree_size from log_checkpoints r where r.registration is not null order by r.tree_size desc limit 1)`;

const checkpointColumns = sql.fragment`c.tree_size, c.note, c.registry, c.created_at, c.registration`;

/** Null before the first start. */
export const findNewestCheckpoint = (connection: CommonQueryMethods): Promise<CheckpointRow | null> =>
  connection.maybeOne(sql.type(CheckpointRow)`
    select ${checkpointColumns} from claim_log l join log_checkpoints c on c.tree_size = l.published_size`);

/** Now, by the clock that revocations are dated by. */
export const readTime = (connection: CommonQueryMethods): Promise<string> =>
  connection.oneFirst(sql.type(z.object({ now: z.string() }))`select clock_timestamp() as now`);

/** The checkpoint of a tree of exactly this size; null where none is published. */
export const findCheckpoint = (connection: CommonQueryMethods, size: number): Promise<CheckpointRow | null> =>
  connection.maybeOne(sql.type(CheckpointRow)`
    select ${checkpointColumns} from log_checkpoints c
    where c.tree_size = ${size} and c.tree_size <= (select published_size from claim_log)`);

/** The checkpoint of a tree of this size, published or not; null where the row is gone. */
export const findNote = (connection: CommonQueryMethods, size: number): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ note: z.string() }))`
    select note from log_checkpoints where tree_size = ${size}`);

const PublishedEntryRow = CheckpointRow.extend({ claim_id: z.string(), log_index: z.number() });
/** A claim in the log, with the checkpoint of its batch. */
export type PublishedEntry = z.infer<typeof PublishedEntryRow>;

/** Those of the claims that are published. */
export const findEntries = (
  connection: CommonQueryMethods,
  claimIds: readonly string[],
): Promise<readonly PublishedEntry[]> =>
  connection.any(sql.type(PublishedEntryRow)`
    select e.claim_id, e.log_index, ${checkpointColumns}
    from log_entries e
    join lateral (select * from log_checkpoints c where c.tree_size > e.log_index order by c.tree_size limit 1) c on true
    where e.claim_id = any(${textArray(claimIds)}) and e.log_index < (select published_size from claim_log)`);

/** The claim at a place, published or not; null where its row is gone. */
export const findEntryAt = (connection: CommonQueryMethods, index: number): Promise<PublishedEntry | null> =>
  connection.maybeOne(sql.type(PublishedEntryRow)`
    select e.claim_id, e.log_index, ${checkpointColumns}
    from log_entries e
    join lateral (select * from log_checkpoints c where c.tree_size > e.log_index order by c.tree_size limit 1) c on true
    where e.log_index = ${index}`);

const PlaceRow = z.object({ log_index: z.number(), published_size: z.number() });

/** The place of a published claim, and how many claims are published; null where it has none. */
export const findPlace = (connection: CommonQueryMethods, claimId: string): Promise<z.infer<typeof PlaceRow> | null> =>
  connection.maybeOne(sql.type(PlaceRow)`
    select e.log_index, l.published_size from log_entries e join claim_log l on e.log_index < l.published_size
    where e.claim_id = ${claimId}`);

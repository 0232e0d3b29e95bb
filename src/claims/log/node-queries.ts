import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { HASH_BYTES, type NodeId, type ReadNode } from './merkle.ts';

const bytes = z.instanceof(Buffer);

const NodeRow = z.object({ level: z.number(), index: z.number(), hash: bytes });

const nameOf = ({ level, index }: NodeId): string => `${level}/${index}`;

/** Rows of the tree are not there; the message is a sentence, and says what to do. */
export class NodesGone extends Error {
  override readonly name = 'NodesGone';
}

/** Reads complete nodes, each once. The function that is returned throws NodesGone for one that was not read or is not there. */
export async function readNodes(connection: CommonQueryMethods, ids: readonly NodeId[]): Promise<ReadNode> {
  const rows =
    ids.length === 0
      ? []
      : await connection.any(sql.type(NodeRow)`
          select n.level, n.index, n.hash
          from unnest(${sql.array(
            ids.map(({ level }) => level),
            'int2',
          )}, ${sql.array(
            ids.map(({ index }) => index),
            'int8',
          )}) as wanted (level, index)
          join log_nodes n on n.level = wanted.level and n.index = wanted.index`);
  const hashes = new Map(rows.map((row) => [nameOf(row), row.hash]));
  return (id) => {
    const found = hashes.get(nameOf(id));
    if (found === undefined) {
      throw new NodesGone(
        `The log has no node ${nameOf(id)}: rows of log_nodes are gone or changed. Restore a copy of the database in which they are whole.`,
      );
    }
    return found;
  };
}

const Hashes = z.object({ hashes: bytes.nullable() });

/** Hashes of one level beside each other. @throws NodesGone where one is not there. */
export async function readRow(
  connection: CommonQueryMethods,
  { level, from, count }: { level: number; from: number; count: number },
): Promise<Buffer> {
  const row = await connection.one(sql.type(Hashes)`
    select string_agg(hash, ''::bytea order by index) as hashes from log_nodes
    where level = ${level} and index between ${from} and ${from + count - 1}`);
  if (row.hashes?.length !== count * HASH_BYTES) throw new NodesGone('Rows of log_nodes are gone.');
  return row.hashes;
}

const LeafRow = z.object({ leaf_hash: bytes, envelope: z.string() });

/** Claims in the order of their places, with the hash that the log has of each. */
export const listLeaves = (
  connection: CommonQueryMethods,
  { from, count }: { from: number; count: number },
): Promise<readonly z.infer<typeof LeafRow>[]> =>
  connection.any(sql.type(LeafRow)`
    select n.hash as leaf_hash, c.envelope
    from log_entries e join claims c on c.id = e.claim_id join log_nodes n on n.level = 0 and n.index = e.log_index
    where e.log_index between ${from} and ${from + count - 1} order by e.log_index`);

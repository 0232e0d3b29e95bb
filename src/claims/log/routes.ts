import { z } from 'zod';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { bundleOf } from './bundle.ts';
import { coseReceiptOf } from './cose.ts';
import { logJwk } from './keys.ts';
import { openedLogOf } from './log-key.ts';
import { findLog } from './queries.ts';
import { hex } from './merkle.ts';
import { consistencyOf, inclusionOf } from './proofs.ts';
import { readLoggedClaim } from './read-receipt.ts';
import {
  BundleSchema,
  BytesSchema,
  CheckpointSchema,
  ConsistencyQuery,
  ConsistencySchema,
  InclusionQuery,
  InclusionSchema,
  LogKeySchema,
  LogKeysSchema,
  LoggedReceiptSchema,
  VerifierKeySchema,
  WaitingBundleSchema,
} from './schema.ts';
import { checkpointToFollow, newestCheckpoint } from './witnesses/witnessed.ts';
import { parseTile, readEntries, readTile } from './tiles.ts';

const tag = 'claims';
const params = z.object({ id: z.string() });

/** Batches are 200 ms apart, and the first of them begins half a second after the claim. */
const WAITING = { status: 202, headers: { 'Retry-After': '1' } } as const;
const COSE = 'application/cose';
const BYTES = 'application/octet-stream';
/** A complete part of a tree never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** While the log is stopped, since its rows may have been changed. */
const NOT_KEPT = { 'Cache-Control': 'no-store' };
const KEYS_CACHE = 'public, max-age=300';

const readReceipt = route({
  method: 'get',
  path: '/v1/claims/:id/receipt',
  operation: 'readClaimReceipt',
  tag,
  summary: 'Read the receipt of a claim: the proof that it is in the log',
  description:
    'Always the same one, with the signed checkpoint of its tree. 202 while the claim waits for its place, which takes about a second. ' +
    'With `Accept: application/cose` a COSE receipt (RFC 9942).',
  audience: 'anyone',
  params,
  status: 200,
  otherStatus: 202,
  reply: LoggedReceiptSchema,
  alternatives: [COSE],
  handler: async (request) => {
    const {
      context,
      params: { id },
    } = request;
    const { claim, logged } = await readLoggedClaim(context, id);
    if (logged === null) return { ...WAITING, body: { receipt: null, checkpoint: null } };
    if (request.preferredType('application/json', COSE) === COSE) {
      return { status: 200, bytes: coseReceiptOf(await openedLogOf(context), claim, logged), mediaType: COSE };
    }
    return { status: 200, body: { receipt: logged.receipt, checkpoint: logged.checkpoint } };
  },
});

const readBundle = route({
  method: 'get',
  path: '/v1/claims/:id/bundle',
  operation: 'readClaimBundle',
  tag,
  summary: 'Read everything that proves a claim, in one file for verifying it offline',
  description: 'For those who read the claim in full. 202 while the claim waits for its place in the log.',
  audience: 'anyone',
  params,
  status: 200,
  otherStatus: 202,
  reply: z.union([BundleSchema, WaitingBundleSchema]),
  refusals: ['NOT_OWNER'],
  handler: async ({ context, caller, params: { id } }) => {
    const bundle = await bundleOf(context, caller, id);
    return bundle === null ? { ...WAITING, body: { claim_id: id, log_index: null } } : { status: 200, body: bundle };
  },
});

const ofCheckpoint = {
  method: 'get',
  tag,
  audience: 'public',
  anyOrigin: true,
  cache: 'public, max-age=1',
  mediaType: 'text/plain; charset=utf-8',
  status: 200,
  reply: CheckpointSchema,
} as const;

export const readCheckpoint = route({
  ...ofCheckpoint,
  path: '/v1/log/checkpoint',
  alias: '/log/checkpoint',
  operation: 'readLogCheckpoint',
  summary: 'Read the newest checkpoint of the log that enough witnesses have signed',
  description:
    'A signed note (C2SP tlog-checkpoint), with the signatures of the witnesses that have signed it: the newest that meets the policy of witnesses, a ' +
    'minute old at most while they answer. Where none does, or the service has no policy, the newest of all. `/log` is the prefix of the log for mirrors and monitors (C2SP tlog-tiles).',
  handler: async ({ context }) => {
    await openedLogOf(context);
    return { status: 200, body: (await checkpointToFollow(context)).note };
  },
});

export const readNewestCheckpoint = route({
  ...ofCheckpoint,
  path: '/v1/log/checkpoint/newest',
  alias: '/log/checkpoint/newest',
  operation: 'readNewestLogCheckpoint',
  summary: 'Read the newest checkpoint of the log, no matter which witnesses have signed it',
  description:
    'A signed note (C2SP tlog-checkpoint) of all that is published, with the signatures of the witnesses that have signed it so far.',
  handler: async ({ context }) => {
    await openedLogOf(context);
    return { status: 200, body: (await newestCheckpoint(context)).note };
  },
});

export const proveInclusion = route({
  method: 'get',
  path: '/v1/log/proofs/inclusion',
  operation: 'proveLogInclusion',
  tag,
  summary: 'Prove that a claim is in the log, in a tree of any size that was published',
  description:
    'The hashes lead from the claim to the root of a signed checkpoint (RFC 6962). With `tree_size` left out it is the newest tree that clients are shown.',
  audience: 'anyone',
  query: z.object(InclusionQuery),
  status: 200,
  reply: InclusionSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, query: { claim_id: claimId, tree_size: treeSize } }) => {
    const proof = await inclusionOf(context.pool, claimId, treeSize);
    assertThat(proof, () => notFound('claim in the log'));
    return {
      status: 200,
      body: {
        log_index: proof.logIndex,
        tree_size: proof.treeSize,
        leaf_hash: hex(proof.leafHash),
        root_hash: hex(proof.rootHash),
        hashes: proof.hashes.map(hex),
      },
    };
  },
});

const proveConsistency = route({
  method: 'get',
  path: '/v1/log/proofs/consistency',
  operation: 'proveLogConsistency',
  tag,
  summary: 'Prove that one published tree of the log is the beginning of another',
  description:
    'The hashes show that the log between both sizes only grew (RFC 6962). Keep checkpoints, and prove each new one against the last.',
  audience: 'public',
  anyOrigin: true,
  query: z.object(ConsistencyQuery),
  status: 200,
  reply: ConsistencySchema,
  handler: async ({ context, query }) => {
    const { from, to, fromRoot, toRoot, hashes } = await consistencyOf(context.pool, query.from, query.to);
    return {
      status: 200,
      body: { from, to, from_root: hex(fromRoot), to_root: hex(toRoot), hashes: hashes.map(hex) },
    };
  },
});

const listKeys = route({
  method: 'get',
  path: '/v1/.well-known/scitt-keys',
  alias: '/.well-known/scitt-keys',
  operation: 'listLogKeys',
  tag,
  summary: 'Show the public key of the log',
  description: 'By it receipts of claims are verified.',
  audience: 'public',
  anyOrigin: true,
  cache: KEYS_CACHE,
  status: 200,
  reply: LogKeysSchema,
  handler: async ({ context }) => ({ status: 200, body: { keys: [logJwk(await openedLogOf(context))] } }),
});

export const readVerifierKey = route({
  method: 'get',
  path: '/v1/log/vkey',
  alias: '/log/vkey',
  operation: 'readLogVerifierKey',
  tag,
  summary: 'Read the verifier key of the log: one line of text',
  description:
    'The public key of the log with its name (C2SP signed-note), as verifiers, monitors and witnesses are configured with it. It never changes.',
  audience: 'public',
  anyOrigin: true,
  cache: KEYS_CACHE,
  mediaType: 'text/plain; charset=utf-8',
  status: 200,
  reply: VerifierKeySchema,
  handler: async ({ context }) => ({ status: 200, body: `${(await openedLogOf(context)).vkey}\n` }),
});

const readKey = route({
  method: 'get',
  path: '/v1/.well-known/scitt-keys/:kid',
  alias: '/.well-known/scitt-keys/:kid',
  operation: 'readLogKey',
  tag,
  summary: 'Show a public key of the log by its id',
  description: '`kid` is the one that a receipt names.',
  audience: 'public',
  anyOrigin: true,
  cache: KEYS_CACHE,
  params: z.object({ kid: z.string() }),
  status: 200,
  reply: LogKeySchema,
  handler: async ({ context, params: { kid } }) => {
    const log = await openedLogOf(context);
    assertThat(kid === log.kid, () => notFound('key'));
    return { status: 200, body: logJwk(log) };
  },
});

/**
 * C2SP writes the index of a tile in elements of three digits, and a part of a tile as one more. Four elements are a part of one of the first 10^9
 * tiles: trees of 2 * 10^11 claims.
 */
const element = z.string();
const shapes = [
  { path: ':a', name: '', elements: { a: element } },
  { path: ':a/:b', name: 'OfTwoElements', elements: { a: element, b: element } },
  { path: ':a/:b/:c', name: 'OfThreeElements', elements: { a: element, b: element, c: element } },
  { path: ':a/:b/:c/:d', name: 'OfFourElements', elements: { a: element, b: element, c: element, d: element } },
] as const;
const given = (named: { a: string; b?: string; c?: string; d?: string }): string[] =>
  [named.a, named.b, named.c, named.d].filter((value) => value !== undefined);

const tiles = shapes.map(({ path, name, elements }) =>
  route({
    method: 'get',
    path: `/v1/log/tile/:level/${path}`,
    alias: `/log/tile/:level/${path}`,
    operation: `readLogTile${name}`,
    tag,
    summary: 'Read a tile of the hashes of the log (C2SP tlog-tiles)',
    description:
      'Up to 256 hashes of 32 bytes: `/log/tile/0/x001/067`, and `/log/tile/0/x001/067.p/17` for the first 17 of one.',
    audience: 'public',
    anyOrigin: true,
    cache: FOR_EVER,
    mediaType: BYTES,
    params: z.object({ level: z.string().regex(/^(0|[1-9]\d?)$/), ...elements }),
    status: 200,
    reply: BytesSchema,
    handler: async ({ context, params: { level, ...named } }) => {
      const tile = parseTile(given(named));
      const bytes = tile === null ? null : await readTile(context.pool, Number(level), tile);
      assertThat(bytes, () => notFound('tile'));
      const isStopped = ((await findLog(context.pool))?.stopped_reason ?? null) !== null;
      return { status: 200, bytes, ...(isStopped && { headers: NOT_KEPT }) };
    },
  }),
);

const entries = shapes.map(({ path, name, elements }) =>
  route({
    method: 'get',
    path: `/v1/log/tile/entries/${path}`,
    alias: `/log/tile/entries/${path}`,
    operation: `readLogEntries${name}`,
    tag: 'platform',
    summary: 'Read the entries of a tile of the log: the signed bytes of its claims',
    description:
      'For mirrors of the platform: claims are confidential. An entry that was erased, or has more than 65,535 bytes, has length zero.',
    audience: 'platform',
    mediaType: BYTES,
    params: z.object(elements),
    status: 200,
    reply: BytesSchema,
    handler: async ({ context, params: named }) => {
      const tile = parseTile(given(named));
      const bytes = tile === null ? null : await readEntries(context.pool, tile);
      assertThat(bytes, () => notFound('tile'));
      return { status: 200, bytes };
    },
  }),
);

export const logRoutes: AnyRoute[] = [
  readReceipt,
  readBundle,
  readCheckpoint,
  readNewestCheckpoint,
  proveInclusion,
  proveConsistency,
  listKeys,
  readVerifierKey,
  readKey,
  ...entries,
  ...tiles,
];

import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import type { Bundle } from '../../../src/claims/log/schema.ts';
import type { Claim } from '../../../src/claims/schema/claim.ts';
import { verifySign1 } from '../../../src/cose/sign1.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { eventually } from '../../support/eventually.ts';
import { anonymous, assertProblem, assertStatus, platform, service } from '../../support/service.ts';
import { envelopeOf, submit } from '../support.ts';
import { consistencyVerifies, inclusionVerifies, leafHash } from './rfc9162.ts';
import { assertReceipt, leafOf, readCheckpoint } from './support.ts';

type Receipt = {
  receipt: {
    registry: string;
    registry_entry_uri: string;
    registered_at: number;
    proof: Proof;
    witnesses: null;
  } | null;
  checkpoint: string | null;
};
type Proof = {
  format: string;
  bytes: string;
  log_index: number;
  tree_size: number;
  root_hash: string;
};
type Key = {
  x: string;
  kid: string;
};
type Inclusion = {
  log_index: number;
  tree_size: number;
  leaf_hash: string;
  root_hash: string;
  hashes: string[];
};
type Consistency = {
  from: number;
  to: number;
  from_root: string;
  to_root: string;
  hashes: string[];
};

const bytesOf = (hashes: readonly string[]): Buffer[] => hashes.map((hash) => Buffer.from(hash, 'hex'));

/** The receipt of a claim, when it has one; until then every answer is 202 with Retry-After and nothing in it. */
export const receiptOf = (operator: TestOperator, id: string): Promise<Receipt> =>
  eventually(`the receipt of ${id}`, async () => {
    const reply = await operator.get<Receipt>(`/v1/claims/${id}/receipt`);
    if (reply.status === 200) return reply.body;
    assertStatus(reply, 202);
    assert.equal(reply.headers.get('retry-after'), '1');
    assert.deepEqual(reply.body, { receipt: null, checkpoint: null });
    return undefined;
  });

describe('The log over HTTP', () => {
  let operator: TestOperator;
  let key: Key;
  let claim: Claim;
  let logged: Receipt;
  before(async () => {
    operator = await buildOperator();
    key = assertStatus(await anonymous().get<{ keys: [Key] }>('/.well-known/scitt-keys'), 200).keys[0];
    claim = await submit(operator, { payload: { any: 'thing' }, co_signatures: [] });
    logged = await receiptOf(operator, claim.id);
  });

  const bytesAt = async (path: string, as: string | null = null): Promise<{ response: Response; bytes: Buffer }> => {
    const response = await fetch(`${service().baseUrl}${path}`, {
      headers: as === null ? {} : { authorization: `Bearer ${as}` },
    });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const newest = async () => readCheckpoint((await anonymous().get('/v1/log/checkpoint')).text, key.x);

  it('requires authentication where claims are read', async () => {
    for (const path of [
      `/v1/claims/${claim.id}/receipt`,
      `/v1/claims/${claim.id}/bundle`,
      `/v1/log/proofs/inclusion?claim_id=${claim.id}`,
    ])
      assertProblem(await anonymous().get(path), 'UNAUTHENTICATED');
    assertProblem(await operator.get('/log/tile/entries/000.p/1'), 'ADMIN_REQUIRED');
  });

  it('a submitted claim gets a receipt that verifies, in the words of the specification, and always the same one', async () => {
    assertReceipt(logged, { envelope: claim.envelope, x: key.x });
    const { baseUrl } = service();
    assert.deepEqual(Object.keys(logged.receipt ?? {}).toSorted(), [
      'proof',
      'registered_at',
      'registry',
      'registry_entry_uri',
      'witnesses',
    ]);
    assert.equal(logged.receipt?.registry, baseUrl);
    assert.equal(logged.receipt?.registry_entry_uri, `${baseUrl}/v1/claims/${claim.id}`);
    assert.equal(logged.receipt?.proof.format, 'svc-merkle-v1');
    await receiptOf(operator, (await submit(operator)).id);
    assert.deepEqual(await receiptOf(operator, claim.id), logged);
  });

  it('a claim shows its place and its receipt, to everybody who knows its id', async () => {
    const { proof } = logged.receipt ?? {};
    const other = await buildOperator();
    for (const reader of [operator, other]) {
      const shown = assertStatus(await reader.get<Claim>(`/v1/claims/${claim.id}`), 200);
      assert.equal(shown.log_index, proof?.log_index);
      assert.deepEqual(shown.receipt, logged.receipt);
      assert.deepEqual(assertStatus(await reader.get(`/v1/claims/${claim.id}/receipt`), 200), logged);
    }
    const listed = assertStatus(await operator.get<{ claims: Claim[] }>('/v1/claims'), 200).claims;
    assert.deepEqual(listed.find(({ id }) => id === claim.id)?.receipt, logged.receipt);
    assertProblem(await operator.get('/v1/claims/pc_none/receipt'), 'NOT_FOUND');
  });

  it('the same claim again is answered with its place', async () => {
    const again = await operator.post<Claim>('/v1/claims', claim.envelope);
    assertStatus(again, 200);
    assert.equal(again.headers.get('x-log-index'), String(logged.receipt?.proof.log_index));
    assert.deepEqual(again.body.receipt, logged.receipt);
  });

  it('a COSE receipt for callers that accept it, detached from the root, and always the same bytes', async () => {
    const read = async (): Promise<Buffer> => {
      const response = await fetch(`${service().baseUrl}/v1/claims/${claim.id}/receipt`, {
        headers: { authorization: `Bearer ${operator.key}`, accept: 'application/cose' },
      });
      assert.equal(response.headers.get('content-type'), 'application/cose');
      assert.equal(response.headers.get('vary'), 'Accept');
      return Buffer.from(await response.arrayBuffer());
    };
    const bytes = await read();
    const root = Buffer.from(logged.receipt?.proof.root_hash ?? '', 'hex');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' });
    const message = verifySign1(bytes, { payload: root, publicKey, expectedKid: key.kid });
    assert.equal(message.protectedHeader.get(395), 1);
    const about = new Map([
      [1, service().baseUrl],
      [2, claim.digest],
    ]);
    assert.deepEqual(message.protectedHeader.get(15), about, 'iss and sub (RFC 9943)');
    const proofs = message.unprotectedHeader.get(396) as Map<number, Uint8Array[]>;
    assert.equal(Buffer.from(proofs.get(-1)?.[0] ?? []).toString('base64url'), logged.receipt?.proof.bytes);
    assert.deepEqual(await read(), bytes);
  });

  it('the newest checkpoint is a signed note at two addresses, for pages of any origin', async () => {
    const reply = await anonymous().get('/log/checkpoint');
    assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(reply.headers.get('access-control-allow-origin'), '*');
    assert(readCheckpoint(reply.text, key.x).size >= (logged.receipt?.proof.tree_size ?? Infinity));
    assert.equal((await newest()).origin, readCheckpoint(logged.checkpoint ?? '', key.x).origin);
  });

  it('proves inclusion in every published tree from the place on, and refuses other sizes', async () => {
    await receiptOf(operator, (await submit(operator)).id);
    const { size, root } = await newest();
    const index = logged.receipt?.proof.log_index ?? NaN;
    const inclusion = (query: string) =>
      operator.get<Inclusion>(`/v1/log/proofs/inclusion?claim_id=${claim.id}${query}`);
    const proof = assertStatus(await inclusion(`&tree_size=${size}`), 200);
    assert.deepEqual(
      { index: proof.log_index, size: proof.tree_size, root: proof.root_hash, leaf: proof.leaf_hash },
      { index, size, root: root.toString('hex'), leaf: leafOf(claim.envelope).toString('hex') },
    );
    assert(inclusionVerifies({ index, size, leaf: leafOf(claim.envelope), root, proof: bytesOf(proof.hashes) }));
    assert(assertStatus(await inclusion(''), 200).tree_size >= size);
    for (const wrong of ['0', String(index), '999999999999', '-1', '1.5', '1e3', 'x', String(2 ** 53)])
      assertProblem(await inclusion(`&tree_size=${wrong}`), 'VALIDATION_ERROR');
    assertProblem(await operator.get('/v1/log/proofs/inclusion?claim_id=pc_none'), 'NOT_FOUND');
    assertProblem(await operator.get('/v1/log/proofs/inclusion'), 'VALIDATION_ERROR');
  });

  it('proves to anybody that each tree begins with the one before, and refuses other sizes', async () => {
    const { size: second, root: secondRoot } = await newest();
    const consistency = (query: string) => anonymous().get<Consistency>(`/v1/log/proofs/consistency?${query}`);
    for (const first of new Set([1, logged.receipt?.proof.tree_size ?? 1, Math.ceil(second / 2), second])) {
      const proof = assertStatus(await consistency(`from=${first}&to=${second}`), 200);
      assert.equal(proof.to_root, secondRoot.toString('hex'));
      const [firstRoot] = bytesOf([proof.from_root]) as [Buffer];
      assert(consistencyVerifies({ first, second, firstRoot, secondRoot, proof: bytesOf(proof.hashes) }));
    }
    for (const wrong of [`from=1&to=999999999999`, 'from=2&to=1', 'from=1', 'to=1', 'from=-1&to=1', 'from=a&to=1'])
      assertProblem(await consistency(wrong), 'VALIDATION_ERROR');
  });

  it('the tiles have the whole tree, and the platform reads the entries behind them', async () => {
    const { size, root } = await newest();
    const elements = (index: number): string =>
      index < 1_000
        ? String(index).padStart(3, '0')
        : `x${String(Math.floor(index / 1_000)).padStart(3, '0')}/${String(index % 1_000).padStart(3, '0')}`;
    const leaves: Buffer[] = [];
    const admin = platform().key;
    for (let tile = 0; tile * 256 < size; tile += 1) {
      const width = Math.min(256, size - tile * 256);
      const path = `${elements(tile)}${width === 256 ? '' : `.p/${width}`}`;
      const { response, bytes } = await bytesAt(`/log/tile/0/${path}`);
      assert.equal(response.status, 200, path);
      assert.equal(response.headers.get('content-type'), 'application/octet-stream');
      assert.match(response.headers.get('cache-control') ?? '', /max-age=31536000, immutable/);
      assert.equal(bytes.length, width * 32);
      const entries = (await bytesAt(`/log/tile/entries/${path}`, admin)).bytes;
      for (let at = 0, place = 0; at < width; at += 1) {
        const leaf = bytes.subarray(at * 32, at * 32 + 32);
        const length = entries.readUInt16BE(place);
        const entry = entries.subarray(place + 2, place + 2 + length);
        if (length > 0) assert(leafHash(entry).equals(leaf), `entry ${tile * 256 + at}`);
        place += 2 + length;
        leaves.push(leaf);
      }
    }
    const index = logged.receipt?.proof.log_index ?? NaN;
    assert(leaves[index]?.equals(leafOf(claim.envelope)));
    const proof = assertStatus(
      await operator.get<Inclusion>(`/v1/log/proofs/inclusion?claim_id=${claim.id}&tree_size=${size}`),
      200,
    );
    const leaf = leaves[index] as Buffer;
    assert(inclusionVerifies({ index, size, leaf, root, proof: bytesOf(proof.hashes) }));
  });

  it('what is no tile, or is not complete yet, is 404', async () => {
    const wrong = [
      '0/999',
      '0/x999/999',
      '0/000.p/0',
      '0/000.p/256',
      '0/000.p/01',
      '0/0',
      '0/x000/000',
      '00/000',
      '64/000',
      '7/000',
    ];
    for (const path of [...wrong, '-1/000', '0/000.p/x', 'x/000.p/1', '6/000.p/1'])
      assert.equal((await bytesAt(`/log/tile/${path}`)).response.status, 404, path);
    assert.equal((await bytesAt('/log/tile/entries/999', platform().key)).response.status, 404);
  });

  it('a bundle has all that proves a claim, for those who read it in full', async () => {
    assertProblem(await (await buildOperator()).get(`/v1/claims/${claim.id}/bundle`), 'NOT_OWNER');
    const bundle = assertStatus(await operator.get<Bundle>(`/v1/claims/${claim.id}/bundle`), 200);
    assert.deepEqual(bundle.envelope, claim.envelope);
    assert.equal(bundle.digest, claim.digest);
    assert.deepEqual({ receipt: bundle.receipt, checkpoint: bundle.checkpoint }, logged);
    assert.equal(bundle.erased, undefined);
    const { size: first, root: firstRoot } = readCheckpoint(bundle.checkpoint, key.x);
    const { size, root } = readCheckpoint(bundle.latest.checkpoint, key.x);
    const index = bundle.receipt.proof?.log_index ?? NaN;
    const leaf = leafOf(bundle.envelope);
    assert(inclusionVerifies({ index, size, leaf, root, proof: bytesOf(bundle.latest.inclusion) }));
    const consistency = { first, second: size, firstRoot, secondRoot: root, proof: bytesOf(bundle.latest.consistency) };
    assert(consistencyVerifies(consistency));
    assert.deepEqual(bundle.revocation.revoked_at, null);
    assert.match(bundle.log.vkey, new RegExp(`^${bundle.log.origin}\\+[0-9a-f]{8}\\+`));
    assert.equal(bundle.log.jwk.x, key.x);

    const [head = '', note = ''] = bundle.tlog_proof.split(/\n\n([^]*)/);
    const [magic, place, ...path] = head.split('\n');
    assert.deepEqual([magic, place, note], ['c2sp.org/tlog-proof@v1', `index ${index}`, bundle.checkpoint]);
    const proof = path.filter((line) => line !== '').map((line) => Buffer.from(line, 'base64'));
    assert(inclusionVerifies({ index, size: first, leaf, root: firstRoot, proof }));

    assertStatus(await operator.post(`/v1/claims/${claim.id}/revoke`, { reason: 'wrong' }), 200);
    const revoked = assertStatus(await operator.get<Bundle>(`/v1/claims/${claim.id}/bundle`), 200);
    assert.equal(revoked.revocation.reason, 'wrong');
    assert(revoked.revocation.revoked_at !== null && revoked.revocation.revoked_at <= revoked.revocation.as_of);
  });

  it('a claim without a place yet has no bundle: 202', async () => {
    const fresh = assertStatus(await operator.post<Claim>('/v1/claims', envelopeOf(operator)), 201);
    const reply = await operator.get<Bundle>(`/v1/claims/${fresh.id}/bundle`);
    assert([200, 202].includes(reply.status));
    if (reply.status === 202) {
      assert.equal(reply.headers.get('retry-after'), '1');
      assert.deepEqual(reply.body, { claim_id: fresh.id, log_index: null });
    }
    await receiptOf(operator, fresh.id);
    assertStatus(await operator.get(`/v1/claims/${fresh.id}/bundle`), 200);
  });

  it('shows the key of the log by its id, and no other', async () => {
    assert.deepEqual(assertStatus(await anonymous().get(`/.well-known/scitt-keys/${key.kid}`), 200), key);
    assertProblem(await anonymous().get('/.well-known/scitt-keys/none'), 'NOT_FOUND');
  });

  it('gives its verifier key as one line of text, that of every bundle, at both addresses', async () => {
    const { log } = assertStatus(await operator.get<Bundle>(`/v1/claims/${claim.id}/bundle`), 200);
    for (const path of ['/v1/log/vkey', '/log/vkey']) {
      const { status, text, headers } = await anonymous().get(path);
      assert.deepEqual([status, text], [200, `${log.vkey}\n`]);
      assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    }
  });
});

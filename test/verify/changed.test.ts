import assert from 'node:assert/strict';
import { verifyBundle } from '../../scripts/verify/checks.ts';
import { Fault } from '../../scripts/verify/fault.ts';
import { parseJson } from '../../scripts/verify/json.ts';
import { itInFull } from '../support/cases.ts';
import {
  cbor,
  inclusionOf,
  leafOf,
  newKeys,
  noteOf,
  plainEnvelope,
  rootOf,
  sign1,
  signedBytes,
  TestLog,
  type Members,
  type TestBundle,
} from './log.ts';
import {
  INDEX,
  asFile,
  bent,
  bentBytes,
  changed,
  failed,
  judged,
  honest,
  log,
  signer,
  textOf,
  trustIn,
} from './judged.ts';

describe('the offline verifier', () => {
  describe('finds what was changed:', () => {
    const other = newKeys('carnet.log/log_test');
    const forged = (size: number): string => noteOf(log.text(size), other);
    const foreign = TestLog.around(plainEnvelope, { index: INDEX, total: 23, keys: log.keys });
    foreign.leaves[6] = leafOf(Buffer.from('another history'));
    const coSign = (change: Partial<Parameters<typeof sign1>[0]>) =>
      sign1({
        key: signer.privateKey,
        payload: signedBytes(plainEnvelope),
        protectedHeader: [
          [1, -8],
          [4, Buffer.from(signer.jwk.kid)],
        ],
        ...change,
      }).toString('base64url');
    const kid = Buffer.from(signer.jwk.kid);
    const first = (bundle: TestBundle): Members => bundle.co_signatures[0] ?? assert.fail();
    const payload = (bundle: TestBundle): Members => bundle.envelope['payload'] as Members;
    const content = ['digest', 'inclusion', 'cose receipt', 'tlog proof', 'newest', 'co-signature'];

    const cases: [string, string[], (bundle: TestBundle) => void][] = [
      ['the payload', content, (bundle) => (payload(bundle)['detector_key'] = 'another')],
      ['the issuer', content, (bundle) => (bundle.envelope['issuer'] = 'op_somebody')],
      ['a member of the payload that no shape has', ['schema', ...content], (bundle) => (payload(bundle)['more'] = 1)],
      [
        'an envelope of an unknown type',
        ['schema', ...content],
        (bundle) => (bundle.envelope['claim_type'] = 'gossip'),
      ],
      ['the digest', ['digest', 'cose receipt'], (bundle) => (bundle.digest = bent(bundle.digest))],
      ['the id', ['receipt'], (bundle) => (bundle.claim_id = 'pc_other')],
      [
        'the registry',
        ['receipt', 'cose receipt'],
        (bundle) => (bundle.receipt.registry = 'https://elsewhere.example'),
      ],
      [
        'a root in the receipt',
        ['receipt'],
        (bundle) => (bundle.receipt.proof.root_hash = bent(bundle.receipt.proof.root_hash)),
      ],
      [
        'a root in capitals',
        ['receipt'],
        (bundle) => (bundle.receipt.proof.root_hash = bundle.receipt.proof.root_hash.toUpperCase()),
      ],
      ['the place in the receipt', ['receipt'], (bundle) => (bundle.receipt.proof.log_index = 6)],
      ['the size in the receipt', ['receipt'], (bundle) => (bundle.receipt.proof.tree_size = 12)],
      ['a member of the receipt', ['receipt'], (bundle) => Object.assign(bundle.receipt.proof, { more: null })],
      [
        'a hash in the receipt',
        ['inclusion'],
        (bundle) => (bundle.receipt.proof.bytes = bentBytes(bundle.receipt.proof.bytes, -1)),
      ],
      [
        'the receipt cut off',
        ['receipt', 'inclusion', 'cose receipt', 'tlog proof', 'newest'],
        (bundle) =>
          (bundle.receipt.proof.bytes = Buffer.from(bundle.receipt.proof.bytes, 'base64url')
            .subarray(0, -1)
            .toString('base64url')),
      ],
      [
        'a receipt with bytes behind it',
        ['receipt', 'inclusion', 'cose receipt', 'tlog proof', 'newest'],
        (bundle) => (bundle.receipt.proof.bytes += 'AA'),
      ],
      [
        'a proof of another entry',
        ['receipt', 'inclusion', 'cose receipt', 'tlog proof', 'newest'],
        (bundle) =>
          (bundle.receipt.proof.bytes = cbor([11, 6, inclusionOf(6, log.leaves.slice(0, 11))]).toString('base64url')),
      ],
      [
        'a proof that is longer than its tree',
        ['inclusion'],
        (bundle) =>
          (bundle.receipt.proof.bytes = cbor([
            11,
            INDEX,
            [...inclusionOf(INDEX, log.leaves.slice(0, 11)), Buffer.alloc(32)],
          ]).toString('base64url')),
      ],
      ['a checkpoint by another key of the same name', ['checkpoint'], (bundle) => (bundle.checkpoint = forged(11))],
      [
        'a root that was not signed',
        ['receipt', 'checkpoint'],
        (bundle) => (bundle.checkpoint = bundle.checkpoint.replace(/^[^\n]+=$/m, rootOf([]).toString('base64'))),
      ],
      [
        'the size of the checkpoint',
        ['receipt', 'checkpoint'],
        (bundle) => (bundle.checkpoint = bundle.checkpoint.replace('\n11\n', '\n12\n')),
      ],
      [
        'the signature of the checkpoint',
        ['checkpoint'],
        (bundle) =>
          (bundle.checkpoint = bundle.checkpoint.replace(/(?<= )[\w+/=]+(?=\n$)/, (line) =>
            bentBytes(line, -1, 'base64'),
          )),
      ],
      [
        'the COSE receipt’s signature',
        ['cose receipt'],
        (bundle) => (bundle.cose_receipt = bentBytes(bundle.cose_receipt, -1)),
      ],
      [
        'the COSE receipt’s header',
        ['cose receipt'],
        (bundle) => (bundle.cose_receipt = bentBytes(bundle.cose_receipt, 12)),
      ],
      [
        'a COSE receipt of another size',
        ['cose receipt'],
        (bundle) => (bundle.cose_receipt = log.coseReceipt(INDEX, 12).toString('base64url')),
      ],
      [
        'a COSE receipt by another key',
        ['cose receipt'],
        (bundle) =>
          (bundle.cose_receipt = new TestLog({ ...other, jwk: log.keys.jwk }, log.leaves)
            .coseReceipt(INDEX, 11)
            .toString('base64url')),
      ],
      [
        'a COSE receipt of another registry',
        ['cose receipt'],
        (bundle) =>
          (bundle.cose_receipt = log
            .coseReceipt(INDEX, 11, ['https://elsewhere.example', bundle.digest])
            .toString('base64url')),
      ],
      [
        'a COSE receipt about another digest',
        ['cose receipt'],
        (bundle) =>
          (bundle.cose_receipt = log
            .coseReceipt(INDEX, 11, [bundle.receipt.registry, bent(bundle.digest)])
            .toString('base64url')),
      ],
      [
        'a tlog-proof in a third tree, which the log signed beside the others',
        ['tlog proof'],
        (bundle) =>
          (bundle.tlog_proof = foreign.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 17 }).tlog_proof),
      ],
      [
        'the place in the tlog-proof',
        ['tlog proof'],
        (bundle) => (bundle.tlog_proof = bundle.tlog_proof.replace('index 5', 'index 6')),
      ],
      [
        'the first line of the tlog-proof',
        ['tlog proof'],
        (bundle) => (bundle.tlog_proof = bundle.tlog_proof.replace('@v1', '@v2')),
      ],
      [
        'a hash of the tlog-proof',
        ['tlog proof'],
        (bundle) => (bundle.tlog_proof = bundle.tlog_proof.replace(/(?<=index 5\n.{9})./, '_')),
      ],
      ['the newest checkpoint', ['newest'], (bundle) => (bundle.latest.checkpoint = forged(23))],
      [
        'a hash of the newest proof',
        ['newest'],
        (bundle) => (bundle.latest.inclusion[0] = bent(bundle.latest.inclusion[0] ?? '')),
      ],
      [
        'a hash of the consistency',
        ['consistency'],
        (bundle) => (bundle.latest.consistency[1] = bent(bundle.latest.consistency[1] ?? '')),
      ],
      ['a consistency that is too short', ['consistency'], (bundle) => bundle.latest.consistency.pop()],
      ['a consistency that is too long', ['consistency'], (bundle) => bundle.latest.consistency.push('00'.repeat(32))],
      [
        'a newest tree with another history',
        ['tlog proof', 'consistency'],
        (bundle) => (bundle.latest = foreign.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23 }).latest),
      ],
      [
        'the same signature under the name of another log',
        ['log key', 'checkpoint'],
        (bundle) => {
          bundle.checkpoint = bundle.checkpoint.replaceAll('log_test', 'log_else');
          bundle.log.origin = 'carnet.log/log_else';
        },
      ],
      ['the named key', ['log key'], (bundle) => (bundle.log.vkey = other.vkey)],
      ['the named JWK', ['log key'], (bundle) => (bundle.log.jwk = { ...bundle.log.jwk, x: other.jwk.x })],
      ['the kid of the log', ['cose receipt'], (bundle) => (bundle.log.jwk = { ...bundle.log.jwk, kid: 'another' })],
      [
        'the co-signature',
        ['co-signature'],
        (bundle) => (first(bundle)['cose_sign1'] = bentBytes(String(first(bundle)['cose_sign1']), -1)),
      ],
      ['who co-signed', ['co-signature'], (bundle) => (first(bundle)['signer_kid'] = 'somebody')],
      ['the co-signer’s key', ['co-signature'], (bundle) => (first(bundle)['jwk'] = other.jwk)],
      ['a co-signature verified by no key', ['co-signature'], (bundle) => (first(bundle)['jwk'] = null)],
      [
        'a co-signature over other bytes',
        ['co-signature'],
        (bundle) => (first(bundle)['cose_sign1'] = coSign({ payload: Buffer.from('else') })),
      ],
      [
        'a co-signature that carries other bytes',
        ['co-signature'],
        (bundle) => (first(bundle)['cose_sign1'] = coSign({ payload: Buffer.from('else'), attached: true })),
      ],
      [
        'a co-signature of another algorithm',
        ['co-signature'],
        (bundle) =>
          (first(bundle)['cose_sign1'] = coSign({
            protectedHeader: [
              [1, -7],
              [4, kid],
            ],
          })),
      ],
      [
        'a co-signature with its algorithm outside',
        ['co-signature'],
        (bundle) => (first(bundle)['cose_sign1'] = coSign({ protectedHeader: [[4, kid]], unprotected: [[1, -8]] })),
      ],
      [
        'a co-signature with critical headers',
        ['co-signature'],
        (bundle) =>
          (first(bundle)['cose_sign1'] = coSign({
            protectedHeader: [
              [1, -8],
              [2, [4]],
              [4, kid],
            ],
          })),
      ],
      [
        'a co-signature of the envelope that the bundle leaves out',
        ['co-signatures'],
        (bundle) =>
          (bundle.envelope['co_signatures'] = [{ signer_kid: 'k', signer_role: 'witness', cose_sign1: 'AA' }]),
      ],
      ['a revocation', ['revocation'], (bundle) => (bundle.revocation.revoked_at = '2026-11-22T11:00:00.000Z')],
      ['a time that is none', ['revocation'], (bundle) => (bundle.revocation.as_of = 'yesterday')],
    ];
    for (const [what, expected, change] of cases)
      it(what, () => {
        assert.deepEqual(failed(changed(change), trustIn(log)), expected);
        const decide = expected.filter((check) => !check.startsWith('co-signature'));
        const { status } = verifyBundle(asFile(changed(change)), trustIn(log));
        assert.equal(status, decide.length === 0 ? 'verified' : 'failed', 'a co-signature never decides');
      });

    it('and makes no check that rests on a checkpoint which does not hold', () => {
      const resting = (bundle: TestBundle): Record<string, string> =>
        Object.fromEntries(
          judged(bundle, trustIn(log))
            .filter(({ text }) => text.startsWith('not checked: '))
            .map(({ check, text }) => [check, text]),
        );
      assert.deepEqual(resting(honest()), {});
      const [then, now] = ['not checked: checkpoint', 'not checked: newest'];
      assert.deepEqual(resting(changed((bundle) => (bundle.checkpoint = forged(11)))), {
        inclusion: then,
        'cose receipt': then,
        consistency: then,
      });
      assert.deepEqual(resting(changed((bundle) => (bundle.latest.checkpoint = forged(23)))), { consistency: now });
      const alone = log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 11 });
      alone.checkpoint = forged(11);
      alone.latest.checkpoint = alone.checkpoint;
      alone.tlog_proof = alone.tlog_proof.replace(log.checkpoint(11), alone.checkpoint);
      assert.deepEqual(failed(alone, trustIn(log)), ['checkpoint'], 'one fault is named once');
    });

    it('and names both ids where they differ', () => {
      const renamed = changed((bundle) => (bundle.claim_id = 'pc_other'));
      assert.match(
        textOf(renamed, trustIn(log), 'receipt'),
        /claim_id .* is pc_other, .*registry_entry_uri is .*\/pc_01K9ZC4T/,
      );
    });

    itInFull('one bit of any byte, save what nobody signs', function () {
      this.timeout(240_000);
      const bytes = Buffer.from(JSON.stringify(honest()));
      const unnoticed = new Set<string>();
      for (let at = 0; at < bytes.length; at += 1) {
        const copy = Buffer.from(bytes);
        copy[at] = (copy[at] ?? 0) ^ 1;
        try {
          const text = new TextDecoder('utf-8', { fatal: true }).decode(copy);
          const { status, findings } = verifyBundle(parseJson(text), trustIn(log));
          if (status === 'verified' && findings.every(({ outcome }) => outcome !== 'void'))
            unnoticed.add(placeOf(JSON.parse(text), honest()));
        } catch (error) {
          if (!(error instanceof Fault) && !(error instanceof TypeError)) throw error;
        }
      }
      assert.deepEqual([...unnoticed].toSorted(), [
        'co_signatures.0.jwk.jid',
        'co_signatures.0.jwk.khd',
        'co_signatures.0.jwk.kid',
        'co_signatures.0.jwk.kie',
        'receipt.registered_at',
        'revocation.as_of',
      ]);
    });
  });
});

/** The dotted path of the first member in which two values differ. */
function placeOf(one: unknown, other: unknown, path = ''): string {
  const isContainer = (value: unknown): value is Members => typeof value === 'object' && value !== null;
  if (!isContainer(one) || !isContainer(other)) return path;
  for (const name of Object.keys(one))
    if (JSON.stringify(one[name]) !== JSON.stringify(other[name]))
      return placeOf(one[name], other[name], path === '' ? name : `${path}.${name}`);
  return path;
}

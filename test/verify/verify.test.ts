import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { verifyBundle, type Finding, type Trust } from '../../scripts/verify/checks.ts';
import { Fault } from '../../scripts/verify/fault.ts';
import { canonicalJson, parseJson, type JsonValue } from '../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../scripts/verify/keys.ts';
import { parseCheckpoint } from '../../scripts/verify/note.ts';
import { parsePolicy } from '../../scripts/verify/policy.ts';
import { itInFull, roundsOf } from '../support/cases.ts';
import { startProgram } from '../support/process.ts';
import {
  cbor,
  coSignature,
  inclusionOf,
  leafOf,
  newKeys,
  noteOf,
  plainEnvelope,
  rootOf,
  sign1,
  signatureLine,
  signedBytes,
  TestLog,
  type Keys,
  type Members,
  type TestBundle,
} from './log.ts';

/** As a file would be read. */
const asFile = (bundle: unknown): JsonValue => parseJson(JSON.stringify(bundle));

const trustIn = (log: TestLog, more: Partial<Trust> = {}): Trust => ({
  logs: [parseVerifierKey(log.keys.vkey)],
  policy: null,
  older: null,
  consistency: null,
  ...more,
});

const judged = (bundle: unknown, trust: Trust): Finding[] => verifyBundle(asFile(bundle), trust).findings;
/** Checks that do not hold, co-signatures among them. */
const failed = (bundle: unknown, trust: Trust): string[] =>
  judged(bundle, trust)
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'void')
    .map(({ check }) => check);
const textOf = (bundle: unknown, trust: Trust, wanted: string): string => {
  const { outcome, text } = judged(bundle, trust).find(({ check }) => check === wanted) ?? assert.fail(wanted);
  return `${outcome}: ${text}`;
};

const INDEX = 5;
const signer = newKeys('signer');
const log = TestLog.around(plainEnvelope, { index: INDEX, total: 23 });
/** A bundle in which everything holds, made again. */
const honest = (): TestBundle => {
  const bundle = structuredClone(log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23 }));
  bundle.co_signatures.push(coSignature(plainEnvelope, signer));
  return bundle;
};
const changed = (change: (bundle: TestBundle) => void): TestBundle => {
  const bundle = honest();
  change(bundle);
  return bundle;
};

/** Another character of the same alphabet in the middle. */
const bent = (text: string): string => {
  const at = Math.floor(text.length / 2);
  return `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`;
};
/** Another bit of a byte of what is encoded. */
const bentBytes = (text: string, at: number, encoding: 'base64' | 'base64url' | 'hex' = 'base64url'): string => {
  const bytes = Buffer.from(text, encoding);
  const index = at < 0 ? bytes.length + at : at;
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  return bytes.toString(encoding);
};

describe('the offline verifier', () => {
  it('finds that everything of an honest bundle holds', () => {
    const { findings, status } = verifyBundle(asFile(honest()), trustIn(log));
    assert.deepEqual(
      findings.map(({ check, outcome }) => `${outcome} ${check}`),
      [
        'ok log key',
        'ok schema',
        'ok digest',
        'ok receipt',
        'ok checkpoint',
        'ok inclusion',
        'ok cose receipt',
        'ok tlog proof',
        'ok newest',
        'ok consistency',
        'skipped older checkpoint',
        'skipped witnesses',
        'ok co-signature',
        'ok co-signatures',
        'ok revocation',
      ],
    );
    assert.equal(status, 'verified');
  });

  it('hashes trees as the published vector of RFC 6962 has it', () => {
    const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    assert.equal(
      rootOf(inputs.map((input) => leafOf(Buffer.from(input, 'hex')))).toString('hex'),
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    );
  });

  it('reads the verifier key of the note format’s own example', () => {
    const { name, raw } = parseVerifierKey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k');
    assert.deepEqual([name, raw.length], ['example.com/foo', 32]);
  });

  it('writes canonical JSON as the examples of RFC 8785 do', () => {
    const sample = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
      "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false],"\ud83d\ude00":1,"\ufb33":-0}`;
    assert.equal(
      canonicalJson(JSON.parse(sample) as JsonValue),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/","😀":1,"${'\ufb33'}":0}`,
    );
  });

  it('follows the proofs between any two sizes, of any entry', function () {
    this.timeout(120_000);
    const keys = newKeys('carnet.log/sizes');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), fc.nat(), (newest, first, second) => {
        const size = 1 + (first % newest);
        const index = second % size;
        const any = TestLog.around(plainEnvelope, { index, total: newest, keys });
        const bundle = any.bundle(plainEnvelope, { index, size, newest });
        assert.deepEqual(failed(bundle, trustIn(any)), []);
      }),
      { numRuns: roundsOf(150, 40) },
    );
  });

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

  it('takes co-signatures under either name of their algorithm, in either base64, tagged or not, with a kid or none', () => {
    const bytes = sign1({
      key: signer.privateKey,
      payload: signedBytes(plainEnvelope),
      protectedHeader: [[1, -19]],
      unprotected: [[4, Buffer.from(signer.jwk.kid)]],
    });
    const nameless = sign1({ key: signer.privateKey, payload: signedBytes(plainEnvelope), protectedHeader: [[1, -8]] });
    const texts = [bytes.toString('base64'), bytes.subarray(1).toString('base64url'), nameless.toString('base64url')];
    for (const text of texts)
      assert.deepEqual(
        failed(
          changed(({ co_signatures: [one] }) => one && (one['cose_sign1'] = text)),
          trustIn(log),
        ),
        [],
      );
  });

  it('says so where a co-signer’s key is not known, and takes no key for a kid that is not its thumbprint', () => {
    const unknown = changed(({ co_signatures: [one] }) => one && Object.assign(one, { jwk: null, verified: false }));
    assert.match(textOf(unknown, trustIn(log), 'co-signature'), /^skipped: .*its key is not known$/);
    const keys = newKeys('x');
    const thumbprint = keys.jwk.kid;
    keys.jwk.kid = signer.jwk.kid;
    const named = changed((bundle) => (bundle.co_signatures = [coSignature(plainEnvelope, keys)]));
    assert.ok(
      textOf(named, trustIn(log), 'co-signature').endsWith(
        `the key in the bundle has another thumbprint, ${thumbprint}`,
      ),
    );
  });

  it('leaves the receipt of another registry unjudged, and says so', () => {
    const bundle = changed(({ envelope, receipt }) => (envelope['receipt'] = receipt));
    assert.deepEqual(failed(bundle, trustIn(log)), []);
    assert.match(textOf(bundle, trustIn(log), 'external receipt'), /^skipped: .*another registry/);
  });

  it('finds a claim whose payload was erased neither verified nor false: entry and digest are in the log', () => {
    const { payload: _payload, ...left } = plainEnvelope;
    const leaf_hash = leafOf(signedBytes(plainEnvelope)).toString('hex');
    const erased = { ...honest(), envelope: left, erased: true, leaf_hash };
    assert.equal(verifyBundle(asFile(erased), trustIn(log)).status, 'erased');
    assert.match(textOf(erased, trustIn(log), 'digest'), /^skipped: the payload was erased/);
    assert.match(textOf(erased, trustIn(log), 'inclusion'), /^ok: an entry whose payload is gone/);
    assert.ok(textOf(erased, trustIn(log), 'cose receipt').endsWith(`about ${erased.digest}`));
    assert.ok(failed({ ...erased, leaf_hash: bent(leaf_hash) }, trustIn(log)).includes('inclusion'));
    assert.deepEqual(failed({ ...erased, digest: bent(erased.digest) }, trustIn(log)), ['cose receipt']);
    const revoked = { ...erased, revocation: { ...erased.revocation, revoked_at: '2026-11-22T11:00:00.000Z' } };
    assert.equal(verifyBundle(asFile(revoked), trustIn(log)).status, 'failed');
  });

  it('knows a log by name and key together', () => {
    const second = newKeys('carnet.log/log_second');
    const both = { ...trustIn(log), logs: [log.keys, second].map(({ vkey }) => parseVerifierKey(vkey)) };
    const bySecond = changed((bundle) => (bundle.checkpoint = noteOf(log.text(11), second)));
    assert.match(textOf(bySecond, both, 'checkpoint'), /^failed: it is not signed by the key of carnet.log\/log_test/);
    const renamed = changed(
      (bundle) => (bundle.checkpoint = bundle.checkpoint.replace('— carnet.log/log_test', '— another')),
    );
    assert.match(textOf(renamed, both, 'checkpoint'), /^failed: it is not signed by the key/);
    const twin = new TestLog(second, log.leaves);
    const mixed = changed(
      (bundle) => (bundle.latest = twin.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23 }).latest),
    );
    assert.equal(textOf(mixed, both, 'consistency'), 'failed: the two checkpoints are of different logs');
    assert.match(
      textOf(honest(), { ...both, older: twin.checkpoint(11) }, 'older checkpoint'),
      /^failed: it is of carnet.log\/log_second/,
    );
  });

  it('takes no proof for another size, where it would lead to the same root', () => {
    const small = TestLog.around(plainEnvelope, { index: 0, total: 4 });
    const bundle = small.bundle(plainEnvelope, { index: 0, size: 4, newest: 4 });
    bundle.receipt.proof.bytes = cbor([3, 0, inclusionOf(0, small.leaves)]).toString('base64url');
    assert.deepEqual(failed(bundle, trustIn(small)), ['receipt', 'inclusion', 'cose receipt']);
    assert.equal(
      textOf(bundle, trustIn(small), 'inclusion'),
      'failed: the proof is for 3 entries, the checkpoint for 4',
    );
  });

  it('reads only notes and keys that are as their formats say', () => {
    const [name, id, material = ''] = log.keys.vkey.split(/\+(?=[0-9a-f]{8}\+)|(?<=\+[0-9a-f]{8})\+/);
    assert.throws(() => parseVerifierKey(`${name}+${id === '00000000' ? '1' : '0'}0000000+${material}`), /its id is/);
    assert.throws(() => parseVerifierKey(`${name}x+${id}+${material}`), /its id is/);
    assert.throws(() => parseVerifierKey('a b+00000000+AA=='), /it is not/);
    assert.throws(() => parseVerifierKey(newKeys('x').vkey.slice(0, -4)), /its id is|bytes/);
    const text = log.text(11);
    const notes: [string, RegExp][] = [
      [text, /no signatures/],
      [`${text}\n`, /signature line/],
      [`${text}\nsigned\n`, /signature line/],
      [`${text}\n— a AAAA\n`, /too short/],
      [`${text}\n— a AAA\n`, /not base64/],
      [log.checkpoint(11).slice(0, -1), /no signatures/],
      [log.checkpoint(11).replace('\n', '\r\n'), /character that no note may have/],
      [noteOf(text.replace('\n11\n', '\n011\n'), log.keys), /no tree size/],
      [noteOf(text.replace('\n11\n', '\n9007199254740992\n'), log.keys), /no tree size/],
      [noteOf(`${text}\nextension\n`, log.keys), /empty line/],
      [noteOf(`carnet.log/log_test\n11\nAAAA\n`, log.keys), /3 bytes/],
      [`${text}\n${'— a AAAAAAA=\n'.repeat(65)}`, /more than 64/],
    ];
    for (const [note, message] of notes) assert.throws(() => parseCheckpoint(note), { name: 'Fault', message }, note);
    assert.deepEqual(parseCheckpoint(noteOf(`${text}extension\n`, log.keys)).size, 11);
  });

  it('judges the envelope by its own schema, and a payload without a shape by its type', () => {
    const schemaOf = (envelope: Members): string =>
      textOf({ ...honest(), envelope }, trustIn(log), 'schema').replace(/^failed: /, '');
    const shapeless: Members = { ...plainEnvelope, claim_type: 'mission', payload: { type: 'dossier' } };
    assert.equal(schemaOf(shapeless), 'payload.type must be equal to constant');
    assert.match(schemaOf({ ...shapeless, payload: [1] }), /^ok/);
    assert.match(schemaOf({ ...shapeless, payload: undefined }), /^ok/);
    assert.equal(schemaOf({ ...plainEnvelope, more: 1 }), 'the envelope must NOT have additional properties (more)');
    assert.equal(schemaOf({ ...plainEnvelope, issuer: 'ag_1' }), 'issuer must match pattern "^op_[A-Za-z0-9_-]+$"');
    assert.equal(
      schemaOf({ ...plainEnvelope, payload: undefined }),
      "the envelope must have required property 'payload'",
    );
  });

  describe('with an older checkpoint', () => {
    const older = (note: string, consistency: unknown = null): string =>
      textOf(
        honest(),
        trustIn(log, { older: note, consistency: consistency === null ? null : asFile(consistency) }),
        'older checkpoint',
      );

    it('compares roots where it has the size of one of the bundle’s', () => {
      assert.equal(older(log.checkpoint(11)), 'ok: that of 11 entries has the same root');
      assert.equal(older(log.checkpoint(23)), 'ok: that of 23 entries has the same root');
    });

    it('takes a proof, from an earlier one and to a later one', () => {
      const longer = new TestLog(log.keys, [...log.leaves, leafOf(Buffer.from('one more'))]);
      assert.equal(older(log.checkpoint(7), log.consistency(7, 23)), 'ok: the tree of 23 begins with that of 7');
      assert.equal(older(log.checkpoint(7), log.consistency(7, 11)), 'ok: the tree of 11 begins with that of 7');
      assert.equal(
        older(longer.checkpoint(24), longer.consistency(23, 24)),
        'ok: the tree of 24 begins with that of 23',
      );
    });

    it('is not checked without a proof, and fails with the proof of other sizes', () => {
      assert.match(
        older(log.checkpoint(7)),
        /^skipped: not checked: give --consistency; .*\/v1\/log\/proofs\/consistency\?from=7&to=23$/,
      );
      assert.match(older(log.checkpoint(7), log.consistency(6, 23)), /^failed: the proof leads from 6 to 23/);
    });

    it('fails where the log has forked, and for a checkpoint that the log did not sign', () => {
      const fork = new TestLog(log.keys, log.leaves.with(2, leafOf(Buffer.from('forked'))));
      assert.equal(older(fork.checkpoint(11)), 'failed: two trees of 11 have different roots');
      assert.equal(
        older(fork.checkpoint(7), log.consistency(7, 23)),
        'failed: the proof does not lead to the root of 7 entries',
      );
      assert.equal(
        older(fork.checkpoint(7), fork.consistency(7, 23)),
        'failed: the proof does not lead to the root of 23 entries',
      );
      assert.match(older(noteOf(log.text(11), newKeys(log.keys.name))), /^failed: it is not signed by the key/);
    });
  });

  describe('with a policy', () => {
    const [one, two, three] = [newKeys('one.example', 4), newKeys('two.example', 4), newKeys('three.example', 6)];
    const lines = [one, two, three].map(({ vkey }, at) => `witness w${at + 1}\t${vkey} https://w${at + 1}.example`);
    const policy = (...more: string[]) =>
      parsePolicy(['# ours', `log ${log.keys.vkey}`, ...lines, '', ...more, ''].join('\n'));
    const witnessed = (keys: Keys[]): TestBundle =>
      log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23, witnesses: keys });
    const witnesses = (bundle: TestBundle, ...more: string[]): string =>
      textOf(bundle, trustIn(log, { policy: policy(...more) }), 'witnesses');

    it('requires its quorum, of cosignatures by Ed25519 and by ML-DSA-44', () => {
      const two3 = ['group g 2 w1 w2 w3', 'quorum g'];
      assert.match(
        witnesses(witnessed([one, three]), ...two3),
        /^ok: the quorum g is met for 23 entries: one.example, three.example, the last at 2026-/,
      );
      assert.equal(witnesses(witnessed([three]), ...two3), 'failed: the quorum g is not met; signed by three.example');
      assert.equal(
        witnesses(witnessed([]), 'quorum w1'),
        'failed: the quorum w1 is not met; no known witness has signed',
      );
      assert.match(witnesses(witnessed([three]), 'quorum w3'), /^ok/);
      assert.match(
        witnesses(witnessed([one, two]), 'group inner any w1 w2', 'group g all inner w3', 'quorum g'),
        /^failed/,
      );
      assert.match(
        witnesses(witnessed([two, three]), 'group inner any w1 w2', 'group g all inner w3', 'quorum g'),
        /^ok/,
      );
      assert.equal(witnesses(witnessed([]), 'quorum none'), 'ok: the policy needs none');
    });

    it('counts nothing of a witness that is not known, and refuses what names a known one and is not of its key', () => {
      assert.match(witnesses(witnessed([newKeys('one.example', 4)]), 'quorum w1'), /^failed: .*no known witness/);
      for (const keys of [one, three]) {
        const bundle = witnessed([]);
        const wrong = signatureLine(log.text(22), keys);
        bundle.latest.checkpoint += wrong;
        assert.equal(witnesses(bundle, 'quorum none'), `failed: the signature of ${keys.name} is not of its key`);
      }
    });

    it('counts one of a time that no date shows, and shows the last time that one shows', () => {
      const bundle = witnessed([one]);
      for (const time of [8_640_000_000_001, 2 ** 53])
        bundle.latest.checkpoint += signatureLine(log.text(23), time === 2 ** 53 ? three : two, time);
      assert.match(
        witnesses(bundle, 'group g all w1 w2 w3', 'quorum g'),
        /^ok: .*one.example, two.example, three.example, the last at 2026-/,
      );
    });

    it('counts a cosignature of the time that it names alone', () => {
      const bundle = witnessed([one]);
      bundle.latest.checkpoint = bundle.latest.checkpoint.replace(/(?<=one\.example )\S+/, (line) =>
        bentBytes(line, 11, 'base64'),
      );
      assert.match(witnesses(bundle, 'quorum w1'), /^failed: the signature of one.example/);
    });

    it('says which line of a policy is wrong', () => {
      const wrong: [string[], RegExp][] = [
        [[], /no line `quorum`/],
        [['quorum none', 'quorum none'], /line 8 .*two quorums/],
        [['quorum w9'], /w9 is not defined before/],
        [['group g 3 w1 w2', 'quorum g'], /1 ≤ k ≤ names/],
        [['group g 0 w1', 'quorum g'], /1 ≤ k ≤ names/],
        [['group g any', 'quorum g'], /1 ≤ k ≤ names/],
        [['group a any w1', 'group b any w1', 'quorum b'], /w1 is a member twice/],
        [['group w1 any w2', 'quorum w1'], /the name w1 is taken/],
        [['group none any w2', 'quorum none'], /the name none is taken/],
        [[`witness w4 ${one.vkey}`, 'quorum w1'], /key of one.example stands twice/],
        [['witness w4 nonsense', 'quorum w1'], /line 7 .*it is not `<name>/],
        [[`witness w4 ${log.keys.vkey}`, 'quorum w1'], /line 7 .*makes no cosignatures/],
        [['constructor x', 'quorum w1'], /line 7 .*constructor is not log/],
        [['toString y', 'quorum w1'], /toString is not log/],
        [['witnesses all', 'quorum w1'], /witnesses is not log, witness, group or quorum/],
      ];
      for (const [more, message] of wrong) assert.throws(() => policy(...more), { name: 'Fault', message });
    });
  });

  it('refuses a file that readers could understand in two ways', () => {
    assert.throws(() => parseJson('{"a":1,"b":{"a":2},"\\u0061":3}'), /"a" stands twice/);
    for (const space of [63, 64, 1_000])
      for (const text of [`{"a"${' '.repeat(space)}:1,"a":2}`, `{"b":{"a":1,"a"${'\n'.repeat(space)}:2}}`])
        assert.throws(() => parseJson(text), /"a" stands twice/);
    for (const number of ['1e400', '-1e400', '1e16', '1E20', '9007199254740992', '9007199254740993.0'])
      assert.throws(() => parseJson(`{"a":[null,${number}]}`), /is past 2\^53/, number);
    for (const number of ['1E21', '1000000000000000000001', '1000000000000000000001e0', '1.00000000000000000001e+21'])
      assert.throws(() => parseJson(number), /is past 2\^53/, number);
    const numbers = [9_007_199_254_740_991, -9_007_199_254_740_991, 1e21, -1.5e300, 5e-324, 1.25];
    assert.deepEqual(parseJson(JSON.stringify(numbers)), numbers);
    assert.throws(() => parseJson('["\\ud800"]'), /surrogate/);
    assert.throws(() => parseJson(`${'['.repeat(300)}${']'.repeat(300)}`), /nested more than 200/);
    assert.throws(() => parseJson('{"a":1'), /not JSON/);
    assert.deepEqual(parseJson('{"a":"b","b" : ["a","a"],"c":"a"}'), { a: 'b', b: ['a', 'a'], c: 'a' });
  });

  it('carries the schemas that the service publishes', async () => {
    const check = startProgram('scripts/write-claim-schemas.ts', {}, ['--check']);
    assert.equal(await check.ended, 0, check.output());
  });

  describe('as a program', () => {
    let folder: string;
    before(async () => void (folder = await mkdtemp(join(tmpdir(), 'carnet-verify-'))));
    after(() => rm(folder, { recursive: true }));

    const run = async (file: string, ...args: string[]): Promise<[number | string, string]> => {
      const program = startProgram('scripts/verify/main.ts', {}, [file, ...args]);
      const code = await program.ended;
      return [code, program.output()];
    };
    const written = async (name: string, text: string): Promise<string> => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };

    it('prints a line a check, and exits 0, 1 or 2', async () => {
      const file = await written('bundle.json', JSON.stringify(honest(), null, 2));
      const key = await written('log.vkey', `${log.keys.vkey}\n`);
      const [code, output] = await run(
        file,
        '--key',
        key,
        '--checkpoint',
        await written('old.txt', log.checkpoint(11)),
      );
      assert.equal(code, 0, output);
      assert.equal(output.split('\n').length, 17);
      assert.match(output, /^ok {6}digest +sha256:[0-9a-f]{64}$/m);
      assert.match(output, /^VERIFIED  claim pc_\w+ \(sha256:[0-9a-f]{64}\): 14 checks hold, 1 were not made\n$/m);

      const policy = await written('policy', `log ${log.keys.vkey}\nwitness w ${newKeys('w', 4).vkey}\nquorum w\n`);
      const [refused, report] = await run(file, '--policy', policy);
      assert.equal(refused, 1, report);
      assert.match(report, /^FAILED {2}witnesses +the quorum w is not met/m);
      assert.match(report, /^NOT VERIFIED  claim pc_\w+ \(sha256:\w+\): witnesses\n$/m);

      for (const [args, message] of [
        [[file], /usage: .*A key is trusted because you have it from elsewhere/s],
        [[file, '--key', 'nonsense+1'], /--key cannot be read/],
        [[file, '--key', log.keys.vkey, '--other'], /usage/],
        [[join(folder, 'absent.json'), '--key', log.keys.vkey], /absent.json cannot be read/],
        [[key, '--key', log.keys.vkey], /log.vkey cannot be read: it is not JSON/],
        [[await written('half.json', '{"bundle_version":1}'), '--key', log.keys.vkey], /latest is missing/],
        [[await written('two.json', '{"bundle_version":2}'), '--key', log.keys.vkey], /bundle_version is not 1/],
      ] as const) {
        const [, ...rest] = args;
        const [ended, said] = await run(args[0], ...rest);
        assert.deepEqual([ended, message.test(said)], [2, true], said);
      }
    });

    it('takes an older checkpoint with blank lines behind it, and says nothing verified where it was not checked', async () => {
      const file = await written('bundle.json', JSON.stringify(honest()));
      const trusted = ['--key', log.keys.vkey, '--checkpoint'];
      const kept = await written('kept.txt', `${log.checkpoint(11)}\n\n`);
      const [code, output] = await run(file, ...trusted, kept);
      assert.deepEqual([code, /^ok +older checkpoint/m.test(output)], [0, true], output);
      const other = await written('other.txt', log.checkpoint(7));
      const [incomplete, said] = await run(file, ...trusted, other);
      assert.deepEqual(
        [incomplete, /^- +older checkpoint +not checked: give --consistency/m.test(said), /VERIFIED/.test(said)],
        [2, true, false],
        said,
      );
      assert.match(said, /^INCOMPLETE /m);
      const proof = await written('proof.json', JSON.stringify(log.consistency(7, 23)));
      const [proven, found] = await run(file, ...trusted, other, '--consistency', proof);
      assert.equal(proven, 0, found);
    });

    it('exits 2 for what it is given beside the bundle and cannot read, and for what is no bundle', async () => {
      const file = await written('bundle.json', JSON.stringify(honest()));
      const key = ['--key', log.keys.vkey];
      const proof = await written('proof.json', JSON.stringify(log.consistency(7, 23)));
      const older = await written('older.txt', log.checkpoint(7));
      const page = await written('page.html', '<html></html>\n');
      const claim = { id: 'pc_1', digest: 'sha256:00', envelope: plainEnvelope };
      const lines = `${JSON.stringify(claim)}\n`.repeat(2);
      for (const [args, message] of [
        [[file, ...key, '--consistency', proof], /^--consistency is about .*--checkpoint.*usage/s],
        [[file, ...key, '--checkpoint', page], /page\.html cannot be read: the note has no signatures/],
        [[file, ...key, '--checkpoint', older, '--consistency', page], /page\.html cannot be read/],
        [
          [file, ...key, '--checkpoint', older, '--consistency', file],
          /bundle\.json cannot be read: hashes is missing|the consistency proof/,
        ],
        [
          [await written('claim.json', JSON.stringify(claim)), ...key],
          /this is a claim and no bundle; fetch \/v1\/claims\/pc_1\/bundle/,
        ],
        [[await written('line.json', lines.slice(0, lines.length / 2)), ...key], /this is a claim and no bundle/],
        [[await written('lines.json', lines), ...key], /these are lines of an export; fetch/],
        [[await written('202.json', '{"claim_id":"pc_1","log_index":null}'), ...key], /waits .*pc_1\/bundle once more/],
        [[await written('envelope.json', JSON.stringify(plainEnvelope)), ...key], /this is an envelope and no bundle/],
      ] as const) {
        const [first, ...rest] = args;
        const [code, said] = await run(first, ...rest);
        assert.deepEqual([code, message.test(said)], [2, true], said);
      }
    });

    it('prints its usage for --help, and exits 0', async () => {
      const [code, output] = await run('--help');
      assert.deepEqual([code, output.startsWith('usage: npm run verify')], [0, true], output);
    });

    it('prints nothing of a stranger’s text that a terminal would act on', async () => {
      const hostile = changed((bundle) => (bundle.revocation.revoked_at = '\u001b[2Kx\nVERIFIED  everything\u202e'));
      const [code, output] = await run(await written('hostile.json', JSON.stringify(hostile)), '--key', log.keys.vkey);
      assert.equal(code, 1);
      assert.doesNotMatch(output, /[^\P{C}\n]|^VERIFIED/mu);
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

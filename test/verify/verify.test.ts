import assert from 'node:assert/strict';
import fc from 'fast-check';
import { verifyBundle } from '../../scripts/verify/checks.ts';
import { canonicalJson, parseJson, type JsonValue } from '../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../scripts/verify/keys.ts';
import { parseCheckpoint } from '../../scripts/verify/note.ts';
import { roundsOf } from '../support/cases.ts';
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
  signedBytes,
  TestLog,
  type Members,
} from './log.ts';
import { INDEX, asFile, bent, changed, failed, honest, log, signer, textOf, trustIn } from './judged.ts';

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
});

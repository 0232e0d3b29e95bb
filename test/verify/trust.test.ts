import assert from 'node:assert/strict';
import { parsePolicy } from '../../scripts/verify/policy.ts';
import { leafOf, newKeys, noteOf, plainEnvelope, signatureLine, TestLog, type Keys, type TestBundle } from './log.ts';
import { INDEX, asFile, bentBytes, honest, log, textOf, trustIn } from './judged.ts';

describe('the offline verifier', () => {
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
});

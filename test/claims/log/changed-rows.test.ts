import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import type pg from 'pg';
import { publishLog } from '../../../src/claims/log/append.ts';
import { bundleOf } from '../../../src/claims/log/bundle.ts';
import { registeredFileOf } from '../../../src/claims/log/head-file.ts';
import { lookAfterLog } from '../../../src/claims/log/life.ts';
import { openedLogOf } from '../../../src/claims/log/log-key.ts';
import { readLoggedClaim } from '../../../src/claims/log/read-receipt.ts';
import { registerOlder } from '../../../src/claims/log/registered.ts';
import { signRegistration } from '../../../src/claims/log/registration.ts';
import { parseNote, signNote } from '../../../src/claims/log/signed-note.ts';
import { receiveWitnessSignatures } from '../../../src/claims/log/witnesses/receive.ts';
import { checkpointToFollow, newestCheckpoint } from '../../../src/claims/log/witnesses/witnessed.ts';
import { verifyClaim } from '../../../src/claims/verify-claim.ts';
import { erasePayload, findClaim } from '../../../src/claims/queries.ts';
import { presentClaim } from '../../../src/claims/present-claims.ts';
import { serviceCaller } from '../../../src/commands/caller.ts';
import type { Context } from '../../../src/context/context.ts';
import { parseWitnessPolicy } from '../../../src/context/witness-policy.ts';
import { parseCheckpoint } from '../../../scripts/verify/note.ts';
import { WITNESS, witnessVkeys } from '../../support/witnesses.ts';
import { cosign } from './witnesses/witness.ts';
import { eachChangedLog } from './support.ts';

describe('A log whose rows were changed in the database', function () {
  this.timeout(120_000);
  let { context, client } = {} as { context: Context; client: pg.Client };
  const { append, stopped, assertStopped, assertRuns } = eachChangedLog((made) => ({ context, client } = made));

  const registeredFile = async (): Promise<string> =>
    registeredFileOf(context.config.logHeadDir, (await openedLogOf(context)).id);
  const receiptOf = async (id: string) => (await readLoggedClaim(context, id)).logged?.receipt ?? assert.fail();
  const assertRefused = async (id: string, why: RegExp): Promise<void> => {
    await assert.rejects(readLoggedClaim(context, id), why);
    await assert.rejects(bundleOf(context, serviceCaller, id), why);
  };
  const assertWaits = async (id: string): Promise<void> => {
    assert.equal((await readLoggedClaim(context, id)).logged, null);
    assert.equal(await bundleOf(context, serviceCaller, id), null);
    const { errors, checks } = await verifyClaim(context, serviceCaller, { claim_id: id });
    assert.deepEqual([errors.map(({ code }) => code), checks.receipt], [['NOT_LOGGED'], null]);
    const row = (await findClaim(context.pool, id)) ?? assert.fail();
    assert.equal((await presentClaim(context.pool, row)).receipt, null);
  };

  describe('of a batch', () => {
    const ALTERED = /The registry or the time .* of the batch of entry 0 of the log is not what the log signed/;

    for (const [what, change] of [
      ['registry', `registry = 'https://elsewhere.example.com'`],
      ['time', `created_at = created_at - interval '1 year'`],
      ['registration', `registration = replace(registration, 'http', 'htt')`],
      ['registration, which is gone, and registry', `registration = null, registry = 'https://elsewhere.example.com'`],
    ] as const)
      it(`of which the ${what} was changed gives no receipt, stops, and goes on when it is as it was`, async () => {
        const [id = ''] = await append(2);
        await append(1);
        const before = await receiptOf(id);
        await client.query(`create table kept as table log_checkpoints`);
        await client.query(`update log_checkpoints set ${change} where tree_size = 2`);
        await assertRefused(id, ALTERED);
        assert.notEqual((await verifyClaim(context, serviceCaller, { claim_id: id })).checks.receipt, true);
        await assertStopped(ALTERED);
        await client.query(`delete from log_checkpoints`);
        await client.query(`insert into log_checkpoints select * from kept`);
        await assertRuns();
        assert.deepEqual(await receiptOf(id), before);
      });

    it('is shown without a receipt in lists', async () => {
      const [id = ''] = await append(1);
      await client.query(`update log_checkpoints set registry = 'https://elsewhere.example.com' where tree_size = 1`);
      const row = (await findClaim(context.pool, id)) ?? assert.fail();
      assert.equal((await presentClaim(context.pool, row)).receipt, null);
      assert.match((await stopped()) ?? '', ALTERED);
    });

    it('with a registration that another key has signed gives no receipt', async () => {
      const [id = ''] = await append(1);
      const { origin } = await openedLogOf(context);
      const { registered_at: registeredAt, proof } = await receiptOf(id);
      const registry = 'https://elsewhere.example.com';
      const forged = signRegistration(
        { origin, privateKey: () => generateKeyPairSync('ed25519').privateKey },
        { size: 1, root: Buffer.from(proof?.root_hash ?? '', 'hex'), registry, registeredAt: registeredAt ?? 0 },
      );
      await client.query(`update log_checkpoints set registry = $1, registration = $2 where tree_size = 1`, [
        registry,
        forged,
      ]);
      await assertRefused(id, ALTERED);
    });
  });

  describe('from before batches had registrations', () => {
    const forget = async (): Promise<void> => {
      await client.query(`update log_checkpoints set registration = null`);
      await client.query(`update claim_log set registered_from = null`);
      await rm(await registeredFile());
    };
    const unregistered = async (): Promise<string[]> =>
      (
        await client.query<{ size: string }>(
          `select tree_size as size from log_checkpoints where registration is null order by 1`,
        )
      ).rows.map(({ size }) => size);

    it('gives no receipt until each batch is signed as it stands, once, and finds what is changed from then on', async () => {
      const ids = [...(await append(2)), ...(await append(1))];
      const before = await Promise.all(ids.map(receiptOf));
      await forget();
      for (const id of ids) await assertWaits(id);
      await append(1);
      assert.deepEqual(await unregistered(), ['0', '2', '3']);
      for (const id of ids) await assertWaits(id);
      await lookAfterLog(context);
      assert.deepEqual(await unregistered(), []);
      assert.deepEqual(await Promise.all(ids.map(receiptOf)), before);
      await client.query(`update log_checkpoints set registration = null where tree_size = 2`);
      await registerOlder(context);
      assert.deepEqual(await unregistered(), ['2'], 'it is signed once');
      await assertRefused(ids[0] ?? '', /is not what the log signed/);
    });

    it('signs them where no claim comes any more, and what a release before appends beside this one', async () => {
      const [id = ''] = await append(1);
      await forget();
      await lookAfterLog(context);
      assert.deepEqual(await unregistered(), []);
      await publishLog(context);
      const note = await readFile(await registeredFile(), 'utf8');
      await append(1);
      await client.query(`update log_checkpoints set registration = null where tree_size = 2`);
      await writeFile(await registeredFile(), note);
      await receiptOf(id);
      await lookAfterLog(context);
      assert.deepEqual(await unregistered(), []);
      await assertRuns();
    });

    it('stops where the statement from where on they have one is gone or changed', async () => {
      await append(2);
      const { rows } = await client.query<{ note: string }>(`select registered_from as note from claim_log`);
      const note = rows[0]?.note ?? assert.fail();
      await client.query(`update claim_log set registered_from = $1`, [note.replace('\n0\n', '\n9\n')]);
      await assertStopped(/did not sign what claim_log\.registered_from says/);
      await client.query(`update claim_log set registered_from = null`);
      await assertStopped(/claim_log\.registered_from is gone/);
      await client.query(`update claim_log set registered_from = $1`, [note]);
      await assertRuns();
    });
  });

  describe('of which registrations were deleted', () => {
    for (const [what, change, why] of [
      ['all, and the statement from where on', `true; update claim_log set registered_from = null`, /none has one/],
      ['all, and no statement', `true`, /and none has one: log_checkpoints lost them/],
      ['all but the first', `tree_size > 0`, /those from 0 to 0 have one/],
      ['the newest', `tree_size = 3`, /those from 0 to 2 have one/],
    ] as const)
      it(`${what}: signs no batch again, stops, and goes on when they are back`, async () => {
        const ids = [...(await append(2)), ...(await append(1))];
        const before = await Promise.all(ids.map(receiptOf));
        await client.query(`create table kept as table log_checkpoints`);
        await client.query(`create table kept_log as table claim_log`);
        await client.query(`update log_checkpoints set registration = null where ${change}`);
        await client.query(
          `update log_checkpoints set created_at = created_at - interval '1 year' where tree_size = 3`,
        );
        await lookAfterLog(context);
        const { rows } = await client.query(`select from log_checkpoints where registration is null and tree_size = 3`);
        assert.equal(rows.length, 1);
        await assertStopped(why);
        await client.query(`delete from log_checkpoints`);
        await client.query(`insert into log_checkpoints select * from kept`);
        await client.query(`update claim_log l set registered_from = k.registered_from from kept_log k`);
        await assertRuns();
        assert.deepEqual(await Promise.all(ids.map(receiptOf)), before);
      });

    for (const [what, change] of [
      ['the newest, of which the registry and the time were changed', `tree_size = 3`],
      ['all from an older one on', `tree_size >= 2`],
      ['all, and the statement from where on', `true; update claim_log set registered_from = null`],
    ] as const)
      it(`${what}: gives no receipt of them, neither before nor after the log stops of it`, async () => {
        const ids = [...(await append(2)), ...(await append(1))];
        await client.query(
          `update log_checkpoints set registry = 'https://elsewhere.example.com', created_at = '2020-01-01' where tree_size = 3`,
        );
        await client.query(`update log_checkpoints set registration = null where ${change}`);
        await assertWaits(ids[2] ?? '');
        await lookAfterLog(context);
        assert.match((await stopped()) ?? '', /The log signed registrations of its batches from 0 to 3/);
        await assertRefused(
          ids[2] ?? '',
          /no registration, and the log signs none while it is stopped: The log signed/,
        );
      });

    it('all, and no statement, in a process without the file: gives no receipt of one of them', async () => {
      const [id = ''] = await append(1);
      await client.query(`update log_checkpoints set registration = null, registry = 'https://elsewhere.example.com'`);
      await assertRefused(id, /is not what the log signed/);
    });

    it('finds a file that the log did not sign, and writes one that is gone', async () => {
      await append(2);
      const path = await registeredFile();
      const note = await readFile(path, 'utf8');
      await writeFile(path, note.replace('\n2\n', '\n1\n'));
      await assertStopped(/log-registered-\w+ is not what the log .* signed of its registrations\. Put the file back/);
      await writeFile(path, note);
      await assertRuns();
      await rm(path);
      await append(1);
      assert.match(await readFile(path, 'utf8'), /^carnet\.log\/registered\/v1\n.*\n0\n4\n/);
    });
  });

  it('gives no bundle whose newest proof does not lead to the root that was signed', async () => {
    const [id = ''] = await append(4);
    await append(3);
    await client.query(`update log_nodes set hash = sha256('forged') where level = 0 and index = 6`);
    assert.notEqual((await readLoggedClaim(context, id)).logged, null, 'its own tree is whole');
    await assert.rejects(
      bundleOf(context, serviceCaller, id),
      /Rows of the claims log were changed: the proof of pc_\w+ in the tree of 7 claims does not lead to the root/,
    );
  });

  it('says of no witness that it has signed a checkpoint, where its line does not verify', async () => {
    context.config.witnessPolicy = parseWitnessPolicy(`witness w ${witnessVkeys.ed25519}\nquorum w\n`);
    const [id = ''] = await append(2);
    const { note } = await newestCheckpoint(context);
    await receiveWitnessSignatures(context, Buffer.from(note + cosign(parseNote(note).text, WITNESS).ed25519));
    const latest = async () => (await bundleOf(context, serviceCaller, id))?.latest ?? assert.fail();
    const whole = await latest();
    assert.deepEqual([whole.witnesses, whole.quorum], [[WITNESS.name], true]);
    const other = cosign('carnet.log/other\n2\nAAAA\n', WITNESS).ed25519;
    for (const line of [other.trimEnd(), 'no line at all']) {
      await client.query(`update log_cosignatures set line = $1`, [line]);
      const changed = await latest();
      assert.deepEqual([changed.witnesses, changed.quorum, changed.checkpoint], [[], false, note]);
      assert.equal((await checkpointToFollow(context)).note, note);
    }
  });

  it('names no witness of a line that no known key made, and serves none that a verifier refuses', async () => {
    const [id = ''] = await append(2);
    const { note } = await newestCheckpoint(context);
    const key = generateKeyPairSync('ed25519').privateKey;
    const add = (line: string, at: number) =>
      client.query(
        `insert into log_cosignatures (tree_size, name, key_id, line) values (2, 'x' || $2, '00000000', $1)`,
        [line, at],
      );
    for (const [at, name] of ['a\u007fb', 'a\u0085b', 'a\ufeffb'].entries()) await add(`— ${name} AAAAAAAAAAAA`, at);
    assert.equal((await newestCheckpoint(context)).note, note);
    await add('— evil.example/w AAAAAAAAAAAA', 3);
    for (let at = 0; at < 70; at += 1)
      await add(signNote('x\n', { name: `w${at}`, privateKey: key }).split('\n')[2] ?? '', 10 + at);
    const latest = (await bundleOf(context, serviceCaller, id))?.latest ?? assert.fail();
    assert.deepEqual(latest.witnesses, []);
    const { signatures } = parseCheckpoint(latest.checkpoint);
    assert.equal(signatures.length, 64);
  });

  it('gives neither receipt nor bundle of a claim that a row gives to another issuer', async () => {
    const [id = ''] = await append(2);
    const before = await receiptOf(id);
    await client.query(`update claims set issuer = 'op_thief' where id = $1`, [id]);
    await assertRefused(id, /Rows of claims were changed/);
    await client.query(`update claims set issuer = 'op_platform' where id = $1`, [id]);
    assert.deepEqual(await receiptOf(id), before);
  });

  describe('of an erased claim', () => {
    const erase = async (id: string): Promise<string> => {
      const { tombstone_id: tombstoneId } = await erasePayload(context.pool, { id, reason: null });
      return tombstoneId ?? assert.fail();
    };

    it('gives a receipt when its tombstone has one, and none where digest or tombstone were changed', async () => {
      const [id = '', other = ''] = await append(2);
      const before = await receiptOf(id);
      await erase(id);
      const tombstone = await erase(other);
      assert.equal((await readLoggedClaim(context, id)).logged, null, 'it waits for its tombstone');
      await append(0);
      assert.deepEqual(await receiptOf(id), before);
      await client.query(`create table kept as table claims`);
      for (const change of [
        `digest = 'sha256:${'0'.repeat(64)}'`,
        `tombstone_id = '${tombstone}'`,
        `tombstone_id = '${other}'`,
        `tombstone_id = 'pc_none'`,
        `issuer = 'op_thief'`,
      ]) {
        await client.query(`update claims set ${change} where id = $1`, [id]);
        await assertRefused(
          id,
          /the tombstone of pc_\w+ is of another claim or another digest|Rows of claims were changed/,
        );
        await client.query(
          `update claims c set digest = k.digest, tombstone_id = k.tombstone_id, issuer = k.issuer from kept k where k.id = c.id`,
        );
      }
      assert.deepEqual(await receiptOf(id), before);
    });

    it('finds a tombstone whose payload was changed with the digest', async () => {
      const [id = ''] = await append(1);
      const tombstone = await erase(id);
      await append(0);
      const zeros = `sha256:${'0'.repeat(64)}`;
      const { digest } = (await findClaim(context.pool, id)) ?? assert.fail();
      await client.query(`update claims set digest = $2 where id = $1`, [id, zeros]);
      await client.query(`update claims set envelope = replace(envelope, $2, $3) where id = $1`, [
        tombstone,
        digest,
        zeros,
      ]);
      await assertRefused(id, /the envelope of pc_\w+ is not the one that stands in the log/);
    });
  });
});

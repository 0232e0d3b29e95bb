import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { signedBytesOf } from '../../src/claims/signed-bytes.ts';
import { CLAIM_TYPES, payloadSchemas } from '../../src/claims/schema/payloads.ts';
import type { JsonObject } from '../../src/json/value.ts';
import { ownDatabase, type OwnDatabase } from '../billing/wallet/own-database.ts';

const Text = z.object({ value: z.string() });
const Row = z.object({
  digest: z.string(),
  envelope: z.string(),
  issuer: z.string(),
  subject: z.string(),
  claim_type: z.string(),
  claim_version: z.number(),
  schema: z.string(),
  agent_id: z.string().nullable(),
  mission_ref: z.string().nullable(),
  payload_effective: z.string().nullable(),
  operator_ids: z.array(z.string()),
  issued_at_ms: z.number(),
  revoked_at: z.string().nullable(),
  revoke_reason: z.string().nullable(),
});
const Issued = Row.pick({ issued_at_ms: true }).extend({ id: z.string() });
const Count = z.object({ count: z.number() });
const Texts = z.object({ values: z.array(z.string()) });

describe('the SQL functions of claims', () => {
  let own: OwnDatabase;
  before(async () => {
    own = await ownDatabase();
  });
  after(() => own.drop());

  const jcsTexts = async (texts: string[]): Promise<string[]> => {
    const query = sql.type(Texts)`
      select array_agg(jcs_text(t) order by n) as values from unnest(${sql.array(texts, 'text')}) with ordinality as u (t, n)`;
    return (await own.pool.one(query)).values;
  };

  it('jcs_text writes a text as RFC 8785 does: every character below U+0300 but NUL, and the separators', async () => {
    const characters = Array.from({ length: 0x2ff }, (_, index) => String.fromCodePoint(index + 1));
    const texts = [...characters, '\u2028', '\u2029', '\uFEFF', '\uFFFE', '😀', '', 'null'];
    assert.deepEqual(
      await jcsTexts(texts),
      texts.map((text) => canonicalize(text)),
    );
  });

  it('jcs_text writes any text as canonicalize does', async () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (texts) => {
        assert.deepEqual(
          await jcsTexts(texts),
          texts.map((one) => canonicalize(one)),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('jcs_text of null is null', async () => {
    assert.equal(await own.pool.oneFirst(sql.type(Text)`select jcs_text(null) as value`), 'null');
  });

  it('new_prefixed_id gives ULIDs of now, all different, every digit in use', async () => {
    const from = Date.now();
    const { values } = await own.pool.one(sql.type(Texts)`
      select array_agg(new_prefixed_id('pc')) as values from generate_series(1, 5000)`);
    const until = Date.now();
    assert.equal(new Set(values).size, 5_000);
    const seen = Array.from({ length: 16 }, () => new Set<string>());
    for (const value of values) {
      assert.match(value, /^pc_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
      const ms = timeOf(value.slice(3, 13));
      assert(from - 1 <= ms && ms <= until + 1, `${value} is of ${ms}, not between ${from} and ${until}`);
      for (const [place, digit] of Array.from(value.slice(13)).entries()) seen[place]?.add(digit);
    }
    assert.deepEqual(
      seen.map(({ size }) => size),
      seen.map(() => 32),
    );
  });

  describe('issue_claim', () => {
    const issue = (
      overrides: Partial<{ payload: object; operators: (string | null)[]; passport: string | null }> = {},
    ) => {
      const { payload = { n: randomUUID() }, operators = ['op_a'], passport = null } = overrides;
      return own.pool.oneFirst(sql.type(Text)`
        select issue_claim('operator_review', 'carnet://agent/ag_1', ${canonicalize(payload) ?? ''}, 'ag_1', 'ms_1',
          ${sql.array(operators, 'text')}, ${passport}) as value`);
    };
    const read = (id: string) => own.pool.one(sql.type(Row)`select * from claims where id = ${id}`);

    it('records a claim of the platform under the digest of its signed bytes', async () => {
      const from = Math.floor(Date.now() / 1_000);
      const payload = { name: 'Zoë "\u0007\u2028\\', deep: { b: [1, null, true], a: 0.1 }, empty: {} };
      const row = await read(await issue({ payload }));
      const envelope = JSON.parse(row.envelope) as Record<string, unknown>;
      assert.deepEqual(envelope, {
        claim_type: 'operator_review',
        claim_version: 1,
        envelope_version: 1,
        issued_at: envelope.issued_at,
        issuer: 'op_platform',
        payload,
        receipt: null,
        subject: 'carnet://agent/ag_1',
      });
      assert.equal(canonicalize(envelope), row.envelope);
      assert.equal(row.digest, digestOf(envelope));
      const issuedAt = Number(envelope.issued_at);
      assert(issuedAt >= from - 1 && issuedAt <= Date.now() / 1_000 + 1, `issued at ${issuedAt}`);
      assert.equal(row.issued_at_ms, issuedAt * 1_000);
      assert.deepEqual(
        [row.issuer, row.subject, row.schema, row.agent_id, row.mission_ref, row.payload_effective, row.revoked_at],
        ['op_platform', 'carnet://agent/ag_1', 'none', 'ag_1', 'ms_1', null, null],
      );
    });

    it('names its readers once and leaves out those that are null', async () => {
      assert.deepEqual((await read(await issue({ operators: ['op_a', 'op_a'] }))).operator_ids, ['op_a']);
      assert.deepEqual((await read(await issue({ operators: [null, 'op_b'] }))).operator_ids, ['op_b']);
      assert.deepEqual((await read(await issue({ operators: ['op_a', 'op_b'] }))).operator_ids, ['op_a', 'op_b']);
    });

    it('gives the same claim for the same statement in the same second', async () => {
      const ids = await own.pool.one(sql.type(Texts)`
        select array_agg(issue_claim('operator_review', 'carnet://agent/ag_1', '{"same":true}', null, null, '{}')) as values
        from generate_series(1, 20)`);
      const claims = await own.pool.any(
        sql.type(Issued)`select id, issued_at_ms from claims where id = any(${sql.array(ids.values, 'text')})`,
      );
      assert.deepEqual(claims.map(({ id }) => id).toSorted(), [...new Set(ids.values)].toSorted());
      assert.equal(
        new Set(claims.map(({ issued_at_ms: at }) => at)).size,
        claims.length,
        'a claim a second, should one end meanwhile',
      );
    });

    it('leaves nothing where its transaction fails', async () => {
      const failing = own.pool.transaction(async (connection) => {
        await connection.query(
          sql.unsafe`select issue_claim('operator_review', 'carnet://agent/ag_gone', '{}', null, null, '{}')`,
        );
        throw new Error('the command fails');
      });
      await assert.rejects(failing, /the command fails/);
      const count = sql.type(Count)`select count(*) from claims where subject = 'carnet://agent/ag_gone'`;
      assert.equal(await own.pool.oneFirst(count), 0);
    });

    it('binds claims to passports, with which they are revoked, once', async () => {
      const bound = [
        await issue({ passport: 'psp_1' }),
        await issue({ passport: 'psp_2' }),
        await issue({ passport: 'psp_2' }),
      ];
      const other = [await issue({ passport: 'psp_3' }), await issue()];
      const revoke = () =>
        own.pool.oneFirst(
          sql.type(
            Count,
          )`select revoke_claims_of_passports(array['psp_1', 'psp_2', 'psp_0'], 'passport revoked') as count`,
        );
      assert.equal(await revoke(), 3);
      for (const id of bound) {
        const { revoked_at: revokedAt, revoke_reason: reason } = await read(id);
        assert.equal(reason, 'passport revoked');
        assert.notEqual(revokedAt, null);
      }
      for (const id of other) assert.equal((await read(id)).revoked_at, null);
      assert.equal(await revoke(), 0);
    });

    it('makes rows that nobody changes, deletes or revokes a second time', async () => {
      const id = await issue({ passport: 'psp_kept' });
      const columns = await own.pool.anyFirst(sql.type(Text)`
        select column_name as value from information_schema.columns
        where table_name = 'claims' and column_name not in ('seq', 'revoked_at', 'revoke_reason', 'operator_ids')`);
      assert(columns.length >= 14, columns.join());
      for (const column of columns) {
        const name = sql.identifier([column]);
        const other = column.endsWith('_at')
          ? sql.fragment`now()`
          : /_ms$|version/.test(column)
            ? sql.fragment`99`
            : column.endsWith('_verified')
              ? sql.fragment`true`
              : sql.fragment`'v1'`;
        await assert.rejects(
          own.pool.query(sql.unsafe`update claims set ${name} = ${other} where id = ${id}`),
          /append-only: update/,
          column,
        );
      }
      await assert.rejects(
        own.pool.query(sql.unsafe`update claims set operator_ids = '{}' where id = ${id}`),
        /append-only: update/,
      );
      for (const envelope of ['{}', `{"payload":1}`]) {
        const erasing = sql.unsafe`
          update claims set erased_at = now(), tombstone_id = 'pc_1', envelope = ${envelope} where id = ${id}`;
        await assert.rejects(
          own.pool.query(erasing),
          /append-only: update/,
          'an erasure takes the payload and nothing else',
        );
      }
      await assert.rejects(own.pool.query(sql.unsafe`delete from claims where id = ${id}`), /append-only: delete/);
      await assert.rejects(own.pool.query(sql.unsafe`truncate claims`), /append-only: truncate/);
      await own.pool.query(
        sql.unsafe`update claims set revoked_at = now(), revoke_reason = 'mistaken' where id = ${id}`,
      );
      await assert.rejects(
        own.pool.query(sql.unsafe`update claims set revoked_at = null, revoke_reason = null where id = ${id}`),
        /append-only/,
      );
      await assert.rejects(
        own.pool.query(sql.unsafe`update claims set revoke_reason = 'other' where id = ${id}`),
        /append-only/,
      );
    });
  });

  describe('record_claim', () => {
    const Leaf = z.object({ leaf: z.string() });
    const sent = {
      envelope_version: 1,
      issuer: 'op_platform',
      subject: 'carnet://agent/ag_1',
      issued_at: 1_795_262_400,
      claim_type: 'detector_signal',
      claim_version: 2,
      payload: { type: 'detector_signal', detector_key: 'Zoë "\u0007\u2028\\', confidence: 1e-7 },
      receipt: null,
      co_signatures: [],
    };
    const record = (id: string, envelope: JsonObject) =>
      own.pool.maybeOne(sql.type(Row)`
        select * from record_claim(${id}, ${JSON.stringify(envelope)}, ${sql.binary(signedBytesOf(envelope))}, 'platform_key', null, null,
          array['pc_named'])`);

    it('keeps an envelope as it was sent, what it says in columns, its digest, its leaf, and the claims that it names', async () => {
      const { envelope, digest, ...row } = (await record('pc_recorded', sent)) ?? assert.fail('nothing was recorded');
      assert.equal(envelope, JSON.stringify(sent));
      assert.equal(digest, 'sha256:4a667ed9b11478773211e96c1de5b1ff517e092e7a3ebdcc73958810230321fb');
      assert.deepEqual(
        [row.issuer, row.subject, row.claim_type, row.claim_version, row.schema, row.issued_at_ms],
        ['op_platform', 'carnet://agent/ag_1', 'detector_signal', 2, 'v1', 1_795_262_400_000],
      );
      const leaf = sql.type(
        Leaf,
      )`select encode(leaf_hash, 'hex') as leaf from log_pending where claim_id = 'pc_recorded'`;
      assert.equal(await own.pool.oneFirst(leaf), 'cae65d534468d9234903562a12526b275a61b79100c513bd9ffcf1c80a82dec1');
      const named = sql.type(
        Text,
      )`select r.ref as value from claim_refs r join claims using (seq) where id = 'pc_recorded'`;
      assert.deepEqual(await own.pool.anyFirst(named), ['pc_named']);
    });

    it('records nothing, and nothing in the log, where the same signed bytes were recorded before, no matter by whom', async () => {
      const id = await own.pool.oneFirst(
        sql.type(
          Text,
        )`select issue_claim('mission', 'carnet://agent/ag_1', '{"a":[0.1,"é"]}', null, null, '{}') as value`,
      );
      const issued = await own.pool.oneFirst(sql.type(Text)`select envelope as value from claims where id = ${id}`);
      assert.equal(await record('pc_again', JSON.parse(issued) as JsonObject), null);
      const other = { ...sent, issued_at: 1 };
      await record('pc_first', other);
      assert.equal(await record('pc_again', { ...other, receipt: { registry: 'another' } }), null);
      const count = sql.type(Count)`select count(*) from log_pending where claim_id = 'pc_again'`;
      assert.equal(await own.pool.oneFirst(count), 0);
    });
  });

  it('claim_schema_of knows the types that have a shape, and no others', async () => {
    const shaped = await own.pool.anyFirst(sql.type(Text)`
      select t as value from unnest(${sql.array(CLAIM_TYPES, 'text')}) as types (t) where claim_schema_of(t) = 'v1'`);
    assert.deepEqual(shaped.toSorted(), Object.keys(payloadSchemas).toSorted());
  });
});

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeOf = (digits: string): number => [...digits].reduce((ms, digit) => ms * 32 + DIGITS.indexOf(digit), 0);

/** The digest of the signed bytes (decision L5), computed by other code than the service's. */
const digestOf = ({ receipt: _receipt, co_signatures: _coSignatures, ...signed }: Record<string, unknown>): string =>
  `sha256:${createHash('sha256')
    .update(canonicalize(signed) ?? '')
    .digest('hex')}`;

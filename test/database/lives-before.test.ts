import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { migrate } from '../../src/database/migrations.ts';
import { databaseAsOf } from '../support/database-as-of.ts';
import { blockOf } from '../support/pasted.ts';
import type { EmptyDatabase } from '../support/empty-database.ts';

const NEWEST_BEFORE = '0050-accounts-lines-of-members.sql';
/** The functions of the release before by which its delivery works. */
const BEFORE = ['message_delay', 'wake_life', 'wake_lives', 'lease_lives'];

interface Row {
  life: string;
  ready: boolean;
  epoch: number | null;
  seconds: number;
}

describe('The table of lives, and a release before it', () => {
  let database: EmptyDatabase;
  let client: pg.Client;
  before(async () => {
    database = await databaseAsOf(NEWEST_BEFORE);
    client = new pg.Client(database.url);
    await client.connect();
    await client.query('create schema before');
    await client.query('set search_path = before, public');
    for (const name of BEFORE)
      await client.query(await readFile(new URL(`before-0051/${name}.sql`, import.meta.url), 'utf8'));
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  const rows = async (like: string): Promise<Row[]> =>
    (
      await client.query<Row>(
        `select life, ready, epoch, extract(epoch from due_at - clock_timestamp())::float8 as seconds from lives where life like $1 order by life, id`,
        [like],
      )
    ).rows;
  const wake = (life: string) => client.query(`select wake_life($1, 'op_1')`, [life]);
  const lease = async (): Promise<{ life: string; message_ids: string[] }[]> =>
    (
      await client.query<{ life: string; message_ids: string[] }>(
        `select life, message_ids from lease_lives(array['invocation', 'mail'], 8, 0, array['', '', '', '', ''])`,
      )
    ).rows;
  const due = () => client.query(`update life_messages set next_attempt_at = clock_timestamp() - interval '1 second'`);

  it('takes over what is open, due when its table said so', async () => {
    await client.query('set session_replication_role = replica');
    await client.query(`
      insert into mails (id, recipient, subject, text, status, expires_at, life_seen_at)
      values ('msg_unseen', 'A@example.test', 'A word', 'sealed', 'waiting', now() + interval '1 hour', null),
        ('msg_seen', 'a@example.test', 'A word', 'sealed', 'waiting', now() + interval '1 hour', now()),
        ('msg_over', 'a@example.test', 'A word', null, 'sent', now() + interval '1 hour', now())`);
    await client.query(`
      insert into invocations (id, skill_id, skill_revision, skill_version, execution_mode, status, consumer_operator_id, provider_operator_id,
        price_cents, self_invocation, input, input_hash, created_at, expires_at, life_epoch, look_at)
      values ('inv_open', 'skl_1', 1, '1.0.0', 'open', 'pending', 'op_1', 'op_2', 0, false, '{}', 'h', now(), now() + interval '1 day', 1,
        now() + interval '1 day')`);
    await client.query('set session_replication_role = origin');
    await wake('mail:msg_unseen');
    assert((await migrate(database.url)).includes('0051-shared-lives.sql'));
    const [open] = await rows('invocation:%');
    assert.deepEqual([open?.ready, open?.epoch], [false, 1]);
    assert((open?.seconds ?? 0) > 86_000);
    const mails = await rows('mail:%');
    assert.deepEqual(
      mails.map(({ life, ready, epoch }) => [life, ready, epoch]),
      [
        ['mail:msg_seen', false, 1],
        ['mail:msg_unseen', true, null],
        ['mail:msg_unseen', false, null],
      ],
    );
    const [seen] = mails;
    assert((seen?.seconds ?? 0) > 3_600, 'a minute after it expires');
  });

  it('works beside it: its messages are delivered by either, and what it has delivered is looked at by this one', async () => {
    await client.query('delete from lives');
    await wake('invocation:inv_1');
    await due();
    const [leased] = await lease();
    assert.deepEqual([leased?.life, leased?.message_ids.length], ['invocation:inv_1', 1]);
    assert.deepEqual(await lease(), [], 'it is leased');
    await client.query('delete from life_messages where id = any($1)', [leased?.message_ids]);
    const [kept] = await rows('%');
    assert.deepEqual([kept?.ready, kept?.epoch], [false, null]);
    assert((kept?.seconds ?? 0) > 50 && (kept?.seconds ?? 0) <= 60, 'in a minute');
    assert.deepEqual(await lease(), [], 'it does not know of it');
  });

  it('keeps one such row a life, however many messages it looks at', async () => {
    await client.query('delete from lives');
    for (let nth = 0; nth < 3; nth += 1) await wake('invocation:inv_1');
    await client.query(`delete from life_messages where life = 'invocation:inv_1'`); // as its looks begin
    assert.equal((await rows('%')).length, 1);
    await wake('invocation:inv_1');
    await due();
    assert.equal((await lease()).length, 1, 'a newer message does not wait behind it');
  });

  it('finds, on a way back, the sessions and subscriptions that this one has begun, as docs/operations.md says', async () => {
    await client.query('delete from lives');
    await client.query(
      `insert into passport_sessions (id, operator_id, started_at) values ('ses_1', 'op_1', now()), ('ses_2', 'op_1', now())`,
    );
    await client.query(`insert into lives (life, owner, due_at, ready) values ('session:ses_1', 'op_1', now(), false)`);
    const { code } = await blockOf('docs/operations.md', 'way-back');
    await client.query(code);
    const { rows: found } = await client.query(`select id from passport_sessions where look_at is not null`);
    assert.deepEqual(found, [{ id: 'ses_1' }]);
  });
});

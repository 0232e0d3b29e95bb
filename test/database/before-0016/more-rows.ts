import pg from 'pg';

/** Ids of a readable end, in the form of all ids. */
const idOf = (prefix: string, end: string): string =>
  `${prefix}_01M85K00000000000000000000`.slice(0, -end.length) + end;

export const blockedAgent = idOf('ag', 'B10CKED');
export const disabledAgent = idOf('ag', 'D1SAB1ED');
export const openInvocation = idOf('inv', '0PEN');
export const heldCents = 250;
export const since = '2026-11-24 01:40:00+00';

/** Keys by who has made each, and the family that each must have then. `first` was made by the first start. */
export const keys = {
  first: idOf('key', 'F1RST'),
  made: idOf('key', 'MADE'),
  madeByMade: idOf('key', 'MADETW1CE'),
  ofOrphan: idOf('key', '0RPHAN'),
  ofToken: idOf('key', 'T0KEN'),
  ending: idOf('key', 'END1NG'),
};
export const deletedKey = idOf('key', 'DE1ETED');
export const token = 'oauth:sub_1';

/** Open invitations by who has invited. */
export const invitations = {
  byLastingKey: idOf('mem', 'BYKEY'),
  byPerson: idOf('mem', 'BYPERS0N'),
  byEndingKey: idOf('mem', 'BYEND1NG'),
  byDeletedKey: idOf('mem', 'BYDE1ETED'),
  byToken: idOf('mem', 'BYT0KEN'),
};

/** Adds what the recording lacks, as the release of that time left it: rows that migrations after 0015 have to look at. */
export async function addMoreRows(
  client: pg.Client,
  { publisher, consumer }: { publisher: string; consumer: string },
): Promise<void> {
  await client.query('begin');
  await client.query('set local session_replication_role = replica'); // as in the restoration: no trigger acts again
  for (const [id, status] of [
    [blockedAgent, 'blocked'],
    [disabledAgent, 'disabled'],
  ])
    await client.query(
      `insert into agents (id, operator_id, name, status, created_at, updated_at) values ($1::text, $2, $1::text, $3, $4, $4)`,
      [id, publisher, status, since],
    );

  const makers: [id: string, maker: string | null, end: string | null][] = [
    [keys.first, null, null],
    [keys.made, keys.first, null],
    [keys.madeByMade, keys.made, null],
    [keys.ofOrphan, deletedKey, null],
    [keys.ofToken, token, null],
    [keys.ending, keys.first, '2126-01-01'],
  ];
  for (const [id, maker, end] of makers)
    await client.query(
      `insert into api_keys (id, operator_id, name, kind, role, secret_hash, last4, created_by, expires_at)
       values ($1::text, $2, $1::text, 'operator', 'admin', sha256($1::text::bytea), 'xxxx', $3, $4)`,
      [id, publisher, maker, end],
    );

  const inviters: [id: string, inviter: string][] = [
    [invitations.byLastingKey, keys.made],
    [invitations.byPerson, idOf('mem', '1NV1TES')],
    [invitations.byEndingKey, keys.ending],
    [invitations.byDeletedKey, deletedKey],
    [invitations.byToken, token],
  ];
  for (const [id, inviter] of inviters) {
    await client.query(
      `insert into members (id, operator_id, email, role) values ($1::text, $2, lower($1::text) || '@example.test', 'member')`,
      [id, publisher],
    );
    await client.query(
      `insert into audit_events (operator_id, actor, action, target) values ($1, $2, 'member.invited', $3)`,
      [publisher, inviter, id],
    );
  }

  // A copy of one that waits, with a price, for a consumer whose wallet has it. Its time was over while the service stood still.
  const { rowCount } = await client.query(
    `insert into invocations select (jsonb_populate_record(null::invocations, to_jsonb(one) || jsonb_build_object(
       'id', $1::text, 'consumer_operator_id', $2::text, 'agent_id', null, 'api_key_id', null, 'price_cents', $3::int, 'self_invocation', false, 'expires_at', $4::text))).*
     from (select * from invocations where status = 'pending' order by id limit 1) one`,
    [openInvocation, consumer, heldCents, since],
  );
  if (rowCount !== 1) throw new Error('The recording has no invocation that waits.');
  await client.query(`insert into holds (id, operator_id, amount_cents, cause) values ($1, $2, $3, $4)`, [
    idOf('hld', '0PEN'),
    consumer,
    heldCents,
    openInvocation,
  ]);
  await client.query('update wallets set held_cents = held_cents + $2 where operator_id = $1', [consumer, heldCents]);
  await client.query('commit');
}

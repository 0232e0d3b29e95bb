import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Context } from '../../../src/context/context.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { createDestination } from '../../../src/notifications/destinations/create.ts';
import { verifyDestination } from '../../../src/notifications/destinations/verification/verify.ts';
import { newWallet } from '../../billing/ledger/ledger-world.ts';
import { callOf, ownContext } from '../../invocations/own-context.ts';
import { roundsOf } from '../../support/cases.ts';
import { mailsTo } from '../../support/people.ts';
import { rivals } from '../../support/rivals.ts';
import { assertProblem, assertStatus, database, type Reply } from '../../support/service.ts';
import { unique } from '../../support/factories.ts';
import { pageOfOutbox } from '../../../src/mail/outbox.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import {
  buildWatched,
  codeIn,
  codesAge,
  codeTo,
  create,
  DESTINATIONS,
  enter,
  execute,
  made,
  newAddress,
  otherThan,
  sendCode,
  shown,
  type Watched,
} from '../support/operators.ts';

describe('Verifying a destination', () => {
  let watched: Watched;
  let receiver: Receiver;
  before(async () => {
    watched = await buildWatched();
    receiver = await startReceiver();
  });
  after(() => receiver.stop());

  const unverified = async (): Promise<{ id: string; address: string; code: string }> => {
    const address = newAddress();
    const { id } = await made(watched.owner, 'email', address);
    return { id, address, code: await codeTo(address) };
  };
  const extra = ({ body }: Reply) => ({ verified: body['verified'], tries_left: body['tries_left'] });
  const isVerified = async (id: string) => (await shown(watched.operator, id)).verified;

  it('takes the code that was sent, from a key without approval, and stays verified no matter what is sent then', async () => {
    const { id, code } = await unverified();
    assert.deepEqual(assertStatus(await enter(watched.operator, id, ` ${code} `), 200), { verified: true });
    assert.equal(await isVerified(id), true);
    assert.equal((await shown(watched.operator, id)).code, null);
    for (const again of [code, otherThan(code)])
      assert.deepEqual(assertStatus(await enter(watched.operator, id, again), 200), { verified: true });
  });

  it('refuses a wrong code with verified: false and the tries that are left, five in all', async () => {
    const { id, code } = await unverified();
    for (const left of [4, 3, 2, 1, 0]) {
      const reply = await enter(watched.operator, id, left === 2 ? 'no digits' : otherThan(code));
      assertProblem(reply, 'INVALID_CODE');
      assert.deepEqual(extra(reply), { verified: false, tries_left: left });
    }
    const late = await enter(watched.operator, id, code);
    assertProblem(late, 'CODE_EXPIRED');
    assert.equal(late.body['verified'], false);
    assert.equal(await isVerified(id), false);
  });

  it('never keeps a refusal under an Idempotency-Key: the count is committed, and the right code counts with the same key', async () => {
    const { id, code } = await unverified();
    const key = { 'idempotency-key': unique('key') };
    const path = `${DESTINATIONS}/${id}/verify`;
    for (const left of [4, 3]) {
      const reply = await watched.operator.post(path, { code: otherThan(code) }, key);
      assert.deepEqual(extra(reply), { verified: false, tries_left: left });
    }
    assertStatus(await watched.operator.post(path, { code }, key), 200);
  });

  it('refuses a code whose time is over', async () => {
    const { id, code } = await unverified();
    await codesAge(id, 601);
    assertProblem(await enter(watched.operator, id, code), 'CODE_EXPIRED');
    assert.equal(await isVerified(id), false);
  });

  it('refuses a code that another has replaced, and takes the other', async () => {
    const { id, address, code } = await unverified();
    await codesAge(id, 31);
    assertStatus(await sendCode(watched.operator, id), 200);
    const second = await codeTo(address);
    if (second !== code) assertProblem(await enter(watched.operator, id, code), 'INVALID_CODE');
    assertStatus(await enter(watched.operator, id, second), 200);
  });

  it('refuses the code of another destination, and every code of another operator', async () => {
    const [one, two] = [await unverified(), await unverified()];
    if (one.code !== two.code) assertProblem(await enter(watched.operator, one.id, two.code), 'INVALID_CODE');
    const other = await buildWatched();
    assertProblem(await enter(other.operator, one.id, one.code), 'NOT_FOUND');
    assertProblem(await enter(other.owner, one.id, one.code), 'NOT_FOUND');
    assertProblem(await sendCode(other.operator, one.id), 'NOT_FOUND');
    assertStatus(await enter(watched.operator, one.id, one.code), 200);
  });

  it('guesses at one destination lock no other out', async () => {
    const [one, two] = [await unverified(), await unverified()];
    for (let tries = 0; tries < 8; tries += 1) await enter(watched.operator, one.id, otherThan(one.code));
    assertStatus(await enter(watched.operator, two.id, two.code), 200);
  });

  it('takes one of many simultaneous entries of the right code, and is verified once', async () => {
    const { id, code } = await unverified();
    const replies = await rivals(20, () => enter(watched.operator, id, code));
    for (const reply of replies) assertStatus(reply, 200);
    const pool = await database();
    const count = await pool.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) from audit_events where action = 'destination.verified' and target = ${id}`);
    assert.equal(count, 1);
  });

  it('is verified where a rival verifies it between the first looks at the destination and at its code', async () => {
    const own = await ownContext();
    try {
      const { context } = own;
      const operator = await newWallet(context.pool);
      const address = newAddress();
      const { body: destination } = await createDestination(context, callOf(operator, 'createDestination'), {
        channel_type: 'email',
        destination: address,
      });
      const { items } = await pageOfOutbox(context, { to: address, limit: 1, offset: 0 });
      const body = { destinationId: destination.id, code: codeIn({ ...items[0], subject: '' } as never) };
      const verify = (on: Context) => verifyDestination(on, callOf(operator, 'verifyDestination'), body);
      const late = {
        ...context,
        pool: beforeQuery(context.pool, 'as live from verification_codes', () => verify(context)),
      };
      assert.deepEqual((await verify(late)).body, { verified: true });
    } finally {
      await own.close();
    }
  });

  it('counts simultaneous wrong codes each: five are judged', async () => {
    const { id, code } = await unverified();
    const replies = await rivals(30, () => enter(watched.operator, id, otherThan(code)));
    assert.equal(replies.filter(({ body }) => body['code'] === 'INVALID_CODE').length, 5);
    assert.equal(replies.filter(({ body }) => body['code'] === 'CODE_EXPIRED').length, 25);
  });

  for (const [what, body, path] of [
    ['no code', {}, 'code'],
    ['a number', { code: 123_456 }, 'code'],
    ['an empty text', { code: '' }, 'code'],
    ['101 characters', { code: '1'.repeat(101) }, 'code'],
  ] as const) {
    it(`refuses ${what} as a request that is not valid`, async () => {
      const { id } = await unverified();
      assertProblem(await watched.operator.post(`${DESTINATIONS}/${id}/verify`, body), 'VALIDATION_ERROR', path);
    });
  }

  it('outlasts thousands of guesses: five are judged, and the right one among the others is refused', async () => {
    const own = await ownContext();
    try {
      const { context } = own;
      const operator = await newWallet(context.pool);
      const address = newAddress();
      const call = (operation: string) => callOf(operator, operation);
      const { body: destination } = await createDestination(context, call('createDestination'), {
        channel_type: 'email',
        destination: address,
      });
      const { items } = await pageOfOutbox(context, { to: address, limit: 1, offset: 0 });
      const code = codeIn({ ...items[0], subject: '' } as never);
      const guesses = Array.from({ length: roundsOf(10_000, 1_000) }, (_, at) =>
        String(at * 97 + 1).padStart(6, '0'),
      ).filter((guess) => guess !== code);
      guesses.push(code);
      const answers = new Map<string, number>();
      await rivals(guesses.length, async () => {
        const body = { destinationId: destination.id, code: guesses.shift() ?? '' };
        const answer = await verifyDestination(context, call('verifyDestination'), body).then(
          () => 'verified',
          (error: unknown) => (error instanceof CarnetError ? error.code : String(error)),
        );
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      });
      assert.equal(answers.get('INVALID_CODE'), 5);
      assert.equal(answers.get('verified'), undefined);
      assert.deepEqual([...answers.keys()].toSorted(), ['CODE_EXPIRED', 'INVALID_CODE']);
    } finally {
      await own.close();
    }
  }).timeout(120_000);
});

/** A pool that runs `rival` once, before the first query whose text has this part. */
function beforeQuery(pool: DatabasePool, part: string, rival: () => Promise<unknown>): DatabasePool {
  let ran = false;
  const wrap = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(of, name): unknown {
        const member: unknown = Reflect.get(of, name);
        if (typeof member !== 'function') return member;
        if (name === 'connect' || name === 'transaction')
          return (work: (connection: object) => unknown): unknown =>
            Reflect.apply(member, of, [(connection: object) => work(wrap(connection))]);
        return async (query: { sql: string }): Promise<unknown> => {
          if (!ran && query.sql.includes(part)) {
            ran = true;
            await rival();
          }
          return Reflect.apply(member, of, [query]);
        };
      },
    });
  return wrap(pool);
}

describe('POST /v1/notifications/destinations/:id/send-code', () => {
  let watched: Watched;
  let receiver: Receiver;
  before(async () => {
    watched = await buildWatched();
    receiver = await startReceiver();
  });
  after(() => receiver.stop());

  const assertTooEarly = (reply: Reply<never> | Reply, atMost: number): void => {
    assertProblem(reply, 'RATE_LIMITED');
    const wait = Number(reply.headers.get('retry-after'));
    assert(wait > atMost - 30 && wait <= atMost, `Retry-After ${wait}`);
  };

  it('sends another code after 30 seconds, five within the life of a code', async () => {
    const address = newAddress();
    const { id } = await made(watched.owner, 'email', address);
    assertTooEarly(await sendCode(watched.operator, id), 30);
    assert.equal((await mailsTo(address)).length, 1);
    for (let sent = 1; sent < 5; sent += 1) {
      await codesAge(id, 31);
      const answer = assertStatus(await sendCode(watched.operator, id), 200);
      const { code } = await shown(watched.operator, id);
      assert.deepEqual(answer, { sent: true, expires_at: code?.expires_at });
      assert.equal(code?.status, 'sent');
    }
    await codesAge(id, 31);
    assertTooEarly(await sendCode(watched.operator, id), 600 - 5 * 31);
    await codesAge(id, 600 - 5 * 31);
    assertStatus(await sendCode(watched.operator, id), 200);
    assert.equal((await mailsTo(address)).length, 6);
  });

  /** Codes that were sent to the address of a destination, by its operator or by another one each, an hour and more ago. */
  const sentBefore = (id: string, count: number, by: 'its operator' | 'others') =>
    execute(sql.fragment`
      insert into verification_codes (id, operator_id, destination_id, address, code, status, requested_at, expires_at)
      select new_prefixed_id('vcd'), case when ${by === 'others'} then o.id else c.operator_id end, 'dst_of_the_past', c.address, null, 'sent',
        clock_timestamp() - make_interval(mins => 60 + n), clock_timestamp() - make_interval(mins => 50 + n)
      from generate_series(1, ${count}) n, verification_codes c, lateral (select id from operators where id <> c.operator_id order by id desc limit 1) o
      where c.destination_id = ${id}`);

  it('sends ten codes a day of one operator to one address, and others send theirs all the same', async () => {
    const address = newAddress();
    const { id } = await made(watched.owner, 'email', address);
    await codesAge(id, 3_000);
    await sentBefore(id, 8, 'its operator');
    assertStatus(await sendCode(watched.operator, id), 200);
    await codesAge(id, 31);
    assertTooEarly(await sendCode(watched.operator, id), (24 * 60 - 68) * 60);
    await made((await buildWatched()).owner, 'email', address);
  });

  it('sends thirty codes a day to one address, no matter who names it', async () => {
    const address = newAddress();
    const { id } = await made(watched.owner, 'email', address);
    await sentBefore(id, 28, 'others');
    await made((await buildWatched()).owner, 'email', address);
    assertTooEarly(
      await create((await buildWatched()).owner, { channel: 'email', destination: address }),
      (24 * 60 - 88) * 60,
    );
  });

  it('sends fifty codes a day of one operator, regardless of the addresses', async () => {
    const { operator, owner } = await buildWatched();
    await execute(sql.fragment`
      insert into verification_codes (id, operator_id, destination_id, address, code, status, requested_at, expires_at)
      select new_prefixed_id('vcd'), ${operator.operatorId}, 'dst_of_the_past', 'address ' || n, null, 'sent',
        clock_timestamp() - make_interval(mins => 60 + n), clock_timestamp() - make_interval(mins => 50 + n)
      from generate_series(1, 49) n`);
    await made(owner, 'email', newAddress());
    assertTooEarly(await create(owner, { channel: 'email', destination: newAddress() }), (24 * 60 - 60 - 49) * 60);
  });

  it('counts simultaneous requests each: one sends', async () => {
    const { id } = await made(watched.owner, 'email', newAddress());
    await codesAge(id, 31);
    const replies = await rivals(16, () => sendCode(watched.operator, id));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(replies.filter(({ status }) => status === 429).length, 15);
  });

  it('is 409 for a destination that is verified', async () => {
    const address = newAddress();
    const { id } = await made(watched.owner, 'email', address);
    assertStatus(await enter(watched.operator, id, await codeTo(address)), 200);
    assertProblem(await sendCode(watched.operator, id), 'INVALID_STATE');
  });

  it('sends the code of a webhook as a request signed with its secret', async () => {
    const url = receiver.urlOf(unique('signed'));
    const { id } = await made(watched.owner, 'webhook', url);
    await receiver.codeAt(url);
    await codesAge(id, 31);
    assertStatus(await sendCode(watched.operator, id), 200);
    assertStatus(await enter(watched.operator, id, await receiver.codeAt(url, 2)), 200);
  });

  it('is 404 for an id of nothing', async () => {
    assertProblem(await sendCode(watched.operator, newId('dst')), 'NOT_FOUND');
  });
});

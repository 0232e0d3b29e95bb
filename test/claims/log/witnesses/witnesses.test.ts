import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { verifyBundle } from '../../../../scripts/verify/checks.ts';
import { parseJson } from '../../../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../../../scripts/verify/keys.ts';
import { parsePolicy } from '../../../../scripts/verify/policy.ts';
import { appendBatch, publishLog } from '../../../../src/claims/log/append.ts';
import { headFileOf, registeredFileOf } from '../../../../src/claims/log/head-file.ts';
import { openedLogOf } from '../../../../src/claims/log/log-key.ts';
import {
  checkpointText,
  parseCheckpoint,
  parseNote,
  signNote,
  verifiedSignatures,
  verifyNote,
} from '../../../../src/claims/log/signed-note.ts';
import { troubleOfLog } from '../../../../src/claims/log/stopped.ts';
import { askWitnesses } from '../../../../src/claims/log/witnesses/ask.ts';
import { bundleOf } from '../../../../src/claims/log/bundle.ts';
import { receiveWitnessSignatures } from '../../../../src/claims/log/witnesses/receive.ts';
import {
  bestCheckpoint,
  checkpointToFollow,
  newestCheckpoint,
} from '../../../../src/claims/log/witnesses/witnessed.ts';
import type { Claim } from '../../../../src/claims/schema/claim.ts';
import { serviceCaller } from '../../../../src/commands/caller.ts';
import { withCaches } from '../../../../src/context/caches.ts';
import type { Context } from '../../../../src/context/context.ts';
import { parseWitnessPolicy } from '../../../../src/context/witness-policy.ts';
import { SIGNATURE_TYPE, vkeyOf } from '../../../../src/fields/verifier-key.ts';
import { createOutbound } from '../../../../src/outbound/index.ts';
import { answers, floods, receiversOfSuite, resets, type Behaviour } from '../../../notifications/support/receiver.ts';
import { eventually } from '../../../support/eventually.ts';
import { buildOperator, type TestOperator } from '../../../support/factories.ts';
import { anonymous, assertProblem, assertStatus } from '../../../support/service.ts';
import { WITNESS, witnessVkeys } from '../../../support/witnesses.ts';
import { submit } from '../../support.ts';
import { backUpLog, ownLog, recordClaims, sizesOf, type OwnLog } from '../support.ts';
import { cosign, witness, type WitnessKeys } from './witness.ts';

const newKeys = (name: string): WitnessKeys => ({
  name,
  ed25519: generateKeyPairSync('ed25519').privateKey,
  mlDsa44: generateKeyPairSync('ml-dsa-44').privateKey,
});
const edVkey = ({ name, ed25519 }: WitnessKeys): string =>
  vkeyOf(name, createPublicKey(ed25519), SIGNATURE_TYPE.ed25519Cosignature);
const mlVkey = ({ name, mlDsa44 }: WitnessKeys): string =>
  vkeyOf(name, createPublicKey(mlDsa44), SIGNATURE_TYPE.mlDsa44Cosignature);

describe('askWitnesses', () => {
  const { receiver, stopReceivers } = receiversOfSuite();
  let own: OwnLog;
  beforeEach(async () => {
    own = await ownLog();
  });
  afterEach(() => own.close());
  after(stopReceivers);

  /** The log with this policy, on calls that may stay on this machine. */
  const withPolicy = (policy: string): Context => {
    const { context } = own;
    const config = { ...context.config, witnessPolicy: parseWitnessPolicy(policy) };
    return withCaches({
      ...context,
      config,
      outbound: createOutbound({ allowLoopback: true, publicBaseUrl: config.publicBaseUrl }),
    });
  };
  const growBy = async (count: number): Promise<void> => {
    await recordClaims(own.context, count);
    await appendBatch(own.context);
    await publishLog(own.context);
  };
  const logFacts = async (): Promise<{ origin: string; x: string }> => {
    const { origin, x } = await openedLogOf(own.context);
    return { origin, x };
  };
  const urlOf = async (behave: Behaviour): Promise<string> => (await receiver(behave)).urlOf('w');

  it('keeps what a witness signs, by Ed25519 and by ML-DSA-44, and proves each growth to it', async () => {
    const keys = newKeys('witness.example/a');
    const { behave, state } = witness(keys, await logFacts());
    const url = await urlOf(behave);
    for (const [vkey, other] of [
      [edVkey(keys), mlVkey(keys)],
      [mlVkey(keys), edVkey(keys)],
    ] as const) {
      state.size = 0;
      const context = withPolicy(`witness a ${vkey} ${url}\nquorum a\n`);
      for (const more of [1, 2, 5]) {
        await growBy(more);
        const before = state.answers.length;
        assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 1 });
        assert.deepEqual(await askWitnesses(context), { asked: 0, signed: 0 }, 'it has signed this one');
        const status = state.answers.slice(before);
        assert.equal(status.at(-1), 200);
        const best = await bestCheckpoint(context, 1);
        assert.deepEqual([best?.tree_size, best?.witnesses, best?.quorum], [state.size, [keys.name], true]);
        assert.deepEqual(verifyNote(best?.note ?? '', [vkey]).verifiedBy, [keys.name]);
        assert.throws(
          () => verifyNote(best?.note ?? '', [other]),
          /No known key/,
          'only what the policy names is kept',
        );
      }
    }
  });

  it('goes on from the size that a witness names, where an answer of it was lost', async () => {
    const keys = newKeys('witness.example/a');
    const { behave, state } = witness(keys, await logFacts());
    let lose = true;
    const url = await urlOf((answer, call, socket) => (lose ? losing : behave)(answer, call, socket));
    const losing: Behaviour = (_answer, call, socket) => {
      behave({ writeHead: () => ({ end: () => undefined }) } as never, call, socket);
      socket.resetAndDestroy();
    };
    const context = withPolicy(`witness a ${edVkey(keys)} ${url}\nquorum a\n`);
    await growBy(3);
    assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 0 });
    assert.equal(state.size, 3, 'the witness has signed');
    lose = false;
    await growBy(4);
    assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 1 });
    assert.deepEqual(state.answers, [200, 409, 200]);
    assert.equal((await bestCheckpoint(context, 1))?.tree_size, 7);
  });

  it('confirms a head that was taken from the database, once a witness has signed that had signed before', async () => {
    const [keys, fresh] = [newKeys('witness.example/a'), newKeys('witness.example/b')];
    const known = witness(keys, await logFacts());
    const unknown = witness(fresh, await logFacts());
    const [url, other] = [await urlOf(known.behave), await urlOf(unknown.behave)];
    const context = withPolicy(`witness a ${edVkey(keys)} ${url}\nquorum a\n`);
    const beside = withPolicy(`witness b ${edVkey(fresh)} ${other}\nquorum b\n`);
    const isUnproven = async (): Promise<boolean> => (await troubleOfLog(context)).unproven !== null;
    await growBy(2);
    assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 1 });
    await rm(headFileOf(own.context.config.logHeadDir, (await openedLogOf(own.context)).id));
    await publishLog(own.context);
    assert.equal(await isUnproven(), true);
    assert.deepEqual(await askWitnesses(beside), { asked: 1, signed: 1 });
    assert.equal(await isUnproven(), true, 'one that had never seen the log confirms nothing');
    assert.deepEqual(
      await askWitnesses(context),
      { asked: 1, signed: 1 },
      'it is asked again about a tree that it has signed',
    );
    assert.equal(await isUnproven(), false);
    assert.deepEqual(await askWitnesses(context), { asked: 0, signed: 0 });
  });

  it('counts only the new key of a witness that has another one, and keeps what the old one signed as a line of nobody known', async () => {
    const [old, next] = [newKeys('witness.example/a'), newKeys('witness.example/a')];
    const url = await urlOf(witness(old, await logFacts()).behave);
    await growBy(2);
    assert.deepEqual(await askWitnesses(withPolicy(`witness a ${edVkey(old)} ${url}\nquorum a\n`)), {
      asked: 1,
      signed: 1,
    });
    const rotated = witness(next, await logFacts());
    const context = withPolicy(`witness a ${edVkey(next)} ${await urlOf(rotated.behave)}\nquorum a\n`);
    const before = await bestCheckpoint(context, 1);
    assert.deepEqual([before?.quorum, before?.witnesses], [false, []]);
    assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 1 });
    const best = await bestCheckpoint(context, 1);
    assert.deepEqual([best?.quorum, best?.witnesses], [true, [old.name]]);
    for (const vkey of [edVkey(old), edVkey(next)]) {
      assert.deepEqual(verifyNote(best?.note ?? '', [vkey]).verifiedBy, [old.name]);
    }
  });

  it('takes cosignatures no matter what their clocks say, an hour back or ahead, and shows the times as they were signed', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const witnesses = ['a', 'b'].map((name) => newKeys(`witness.example/${name}`));
    await growBy(2);
    const text = (await bestCheckpoint(own.context, 1))?.note.split('\n\n')[0] ?? '';
    const times = [now - 3_600, now + 3_600];
    const policy = await Promise.all(
      witnesses.map(async (keys, at) => {
        const lines = cosign(`${text}\n`, keys, times[at]);
        const url = await urlOf((answer) => answer.writeHead(200, { 'content-type': 'text/plain' }).end(lines.ed25519));
        return `witness ${keys.name.at(-1)} ${edVkey(keys)} ${url}\n`;
      }),
    );
    const context = withPolicy(`${policy.join('')}group all all a b\nquorum all\n`);
    assert.deepEqual(await askWitnesses(context), { asked: 2, signed: 2 });
    const best = await bestCheckpoint(context, 1);
    const { verified } = verifiedSignatures(best?.note ?? '', witnesses.map(edVkey));
    assert.deepEqual(new Set(verified.map(({ timestamp }) => timestamp)), new Set(times));
  });

  it('takes nothing from a witness that knows a larger tree, another one, or answers otherwise, and fails open', async () => {
    const keys = newKeys('witness.example/a');
    const facts = await logFacts();
    await growBy(3);
    const ahead = witness(keys, facts);
    ahead.state.size = 100;
    const forked = witness(keys, facts);
    Object.assign(forked.state, { size: 2, root: Buffer.alloc(32, 1) });
    const other = witness(newKeys(keys.name), facts);
    const says =
      (text: string, status = 200): Behaviour =>
      (answer) =>
        void answer.writeHead(status).end(text);
    const behaviours: Behaviour[] = [
      ahead.behave,
      forked.behave,
      other.behave,
      answers(500),
      answers(404),
      resets,
      floods,
      says(''),
      says('no line\n'),
      says('— witness.example/a AAAA\n'),
      says('many', 409),
      says('1e9\n', 409),
      says(cosign('another\n3\nAAAA\n', keys).ed25519),
    ];
    for (const behave of behaviours) {
      const context = withPolicy(`witness a ${edVkey(keys)} ${await urlOf(behave)}\nquorum a\n`);
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 0 });
      const best = await bestCheckpoint(context, 1);
      assert.deepEqual([best?.tree_size, best?.witnesses, best?.quorum], [3, [], false]);
    }
    assert.deepEqual(forked.state.answers, [409, 422]);
  });

  it('asks each witness apart: one that is away holds back no other, and the quorum is as the policy says', async () => {
    const [a, b] = [newKeys('witness.example/a'), newKeys('witness.example/b')];
    const { behave } = witness(b, await logFacts());
    const lines = `witness a ${edVkey(a)} ${await urlOf(resets)}\nwitness b ${edVkey(b)} ${await urlOf(behave)}\nwitness c ${edVkey(newKeys('c'))}\n`;
    await growBy(1);
    const all = withPolicy(`${lines}group g all a b\nquorum g\n`);
    assert.deepEqual(await askWitnesses(all), { asked: 2, signed: 1 });
    assert.equal((await bestCheckpoint(all, 1))?.quorum, false);
    assert.equal((await bestCheckpoint(withPolicy(`${lines}group g any a b\nquorum g\n`), 1))?.quorum, true);
  });

  it('shows the newest checkpoint that is signed, where the tree of the receipt is part of it', async () => {
    const keys = newKeys('witness.example/a');
    const { behave } = witness(keys, await logFacts());
    const context = withPolicy(`witness a ${edVkey(keys)} ${await urlOf(behave)}\nquorum a\n`);
    await growBy(2);
    await askWitnesses(context);
    await growBy(2);
    assert.equal((await bestCheckpoint(context, 1))?.tree_size, 2);
    const newer = await bestCheckpoint(context, 3);
    assert.deepEqual([newer?.tree_size, newer?.witnesses, newer?.quorum], [4, [], false]);
  });

  it('shows the newest checkpoint that meets the policy, and where none does the one that most witnesses have signed', async () => {
    const [a, b, c] = [newKeys('witness.example/a'), newKeys('witness.example/b'), newKeys('witness.example/c')];
    const facts = await logFacts();
    const urls = await Promise.all([a, b, c].map(async (keys) => urlOf(witness(keys, facts).behave)));
    const asking = (...chosen: string[]): string =>
      [a, b, c]
        .map((keys, at) => ({ keys, name: 'abc'[at] ?? '', url: urls[at] ?? '' }))
        .map(({ keys, name, url }) => `witness ${name} ${edVkey(keys)} ${chosen.includes(name) ? url : ''}`.trim())
        .join('\n');
    const two = '\ngroup g 2 a b c\nquorum g\n';
    const all = withPolicy(`${asking()}\ngroup g all a b c\nquorum g\n`);
    const signedBy = async (...chosen: string[]): Promise<void> => {
      await growBy(1);
      const { signed } = await askWitnesses(withPolicy(asking(...chosen) + two));
      assert.equal(signed, chosen.length);
    };
    await signedBy('a');
    await signedBy('a', 'b');
    await signedBy('b', 'c');
    await signedBy('c');
    for (let time = 0; time < 3; time += 1) await signedBy('a');
    const shown = async (context: Context, atLeast = 1) => {
      const best = await bestCheckpoint(context, atLeast);
      return [best?.tree_size, best?.witnesses.length, best?.quorum];
    };
    const policy = withPolicy(asking() + two);
    assert.deepEqual(await shown(policy), [3, 2, true]);
    assert.deepEqual(await shown(policy, 4), [7, 1, false], 'of what holds the receipt the most, and the newest');
    assert.deepEqual(await shown(withPolicy(`${asking()}\nquorum c\n`)), [4, 1, true]);
    assert.deepEqual(await shown(withPolicy(`${asking()}\ngroup g all a b\nquorum g\n`)), [2, 2, true]);
    assert.deepEqual(await shown(all), [3, 2, false]);
    await growBy(1);
    assert.deepEqual(await shown(withPolicy(asking() + two)), [3, 2, true]);
    assert.deepEqual(await shown(policy, 8), [8, 0, false]);
  });

  it('counts a signature for the key that made it alone, where a policy has two keys of one witness', async () => {
    const keys = newKeys('witness.example/a');
    const { behave } = witness(keys, await logFacts());
    const both = (url: string): Context =>
      withPolicy(`witness ed ${edVkey(keys)} ${url}\nwitness ml ${mlVkey(keys)}\ngroup g all ed ml\nquorum g\n`);
    const context = both(await urlOf(behave));
    await growBy(1);
    assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 1 });
    const best = await bestCheckpoint(context, 1);
    assert.deepEqual([best?.witnesses, best?.quorum], [[keys.name], false]);
  });

  it('keeps a signature no matter which unit its time is in', async () => {
    await growBy(2);
    const { text } = parseNote((await bestCheckpoint(own.context, 1))?.note ?? '');
    for (const time of [Date.now() * 1_000, Number.MAX_SAFE_INTEGER, 0]) {
      const keys = newKeys('witness.example/a');
      const { ed25519 } = cosign(text, keys, time);
      const url = await urlOf((answer) => void answer.writeHead(200).end(ed25519));
      const context = withPolicy(`witness a ${edVkey(keys)} ${url}\nquorum a\n`);
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 1 }, String(time));
      assert.equal((await bestCheckpoint(context, 1))?.quorum, true);
    }
  });

  describe('where a witness knows another tree', () => {
    const clients: pg.Client[] = [];
    afterEach(() => Promise.all(clients.splice(0).map((client) => client.end())));
    const backUp = async (): Promise<() => Promise<void>> => {
      const client = new pg.Client({ connectionString: own.context.config.databaseUrl });
      clients.push(client);
      await client.connect();
      return backUpLog(client, 'older');
    };
    /** As on a new machine, whose folder is empty. */
    const removeHead = async (): Promise<void> => {
      const { id } = await openedLogOf(own.context);
      for (const fileOf of [headFileOf, registeredFileOf]) await rm(fileOf(own.context.config.logHeadDir, id));
    };
    const grow = async (context: Context, count: number): Promise<number | null> => {
      await recordClaims(context, count);
      await appendBatch(context);
      return publishLog(context);
    };
    const stopped = async (context: Context): Promise<string> => (await troubleOfLog(context)).stopped ?? '';

    it('publishes nothing on an older copy without its head, and stops when the witness shows that it has signed more', async () => {
      const keys = newKeys('witness.example/a');
      const { behave, state } = witness(keys, await logFacts());
      const context = withPolicy(`witness a ${edVkey(keys)} ${await urlOf(behave)}\nquorum a\n`);
      await grow(context, 2);
      await askWitnesses(context);
      const restore = await backUp();
      await grow(context, 3);
      await askWitnesses(context);
      assert.equal(state.size, 5);
      await restore();
      await removeHead();
      assert.equal(await grow(context, 4), null, 'nothing is published before somebody has confirmed the head');
      assert.deepEqual(await sizesOf(context), { tree_size: 2, published_size: 2, pending: 4 });
      assert.match((await troubleOfLog(context)).unproven ?? '', /would fork, so nothing is published/);
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 0 });
      assert.match(
        await stopped(context),
        /witness a contradicts this log. It has signed a tree of 5 claims, and the newest here has 2/,
      );
      assert.equal(await publishLog(context), null);
      assert.match(await stopped(context), /restore a newer copy/);
      assert.deepEqual(await sizesOf(context), { tree_size: 2, published_size: 2, pending: 4 });
    });

    it('stops where it finds no proof: an older copy that has grown another way', async () => {
      const keys = newKeys('witness.example/a');
      const { behave } = witness(keys, await logFacts());
      const context = withPolicy(`witness a ${edVkey(keys)} ${await urlOf(behave)}\nquorum a\n`);
      const restore = await backUp();
      await grow(context, 3);
      await askWitnesses(context);
      await restore();
      await removeHead();
      await growBy(5);
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 0 });
      assert.match(await stopped(context), /finds no proof that the 5 claims here begin with the 3 that it has signed/);
      assert.equal(await grow(context, 1), null);
    });

    it('is confirmed by a witness that had signed, and goes on with the claims that waited', async () => {
      const keys = newKeys('witness.example/a');
      const { behave } = witness(keys, await logFacts());
      const context = withPolicy(`witness a ${edVkey(keys)} ${await urlOf(behave)}\nquorum a\n`);
      await grow(context, 2);
      await askWitnesses(context);
      await removeHead();
      assert.equal(await grow(context, 3), null);
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 1 });
      assert.equal((await troubleOfLog(context)).unproven, null);
      assert.equal(await appendBatch(context), 3);
      assert.equal(await publishLog(context), 5);
      await removeHead();
      assert.equal(await publishLog(context), null, 'what was confirmed once says nothing of the next time');
    });

    it('goes on where enough others confirm it, no matter what one witness says', async () => {
      const [a, b, liar] = [newKeys('witness.example/a'), newKeys('witness.example/b'), newKeys('witness.example/l')];
      const facts = await logFacts();
      const lying = witness(liar, facts);
      const lines = await Promise.all(
        (
          [
            ['a', a, witness(a, facts).behave],
            ['b', b, witness(b, facts).behave],
            ['l', liar, lying.behave],
          ] as const
        ).map(async ([name, keys, behave]) => `witness ${name} ${edVkey(keys)} ${await urlOf(behave)}\n`),
      );
      const context = withPolicy(`${lines.join('')}group g 2 a b l\nquorum g\n`);
      await grow(context, 2);
      await askWitnesses(context);
      lying.state.size = 1_000;
      await removeHead();
      assert.equal(await grow(context, 1), null);
      assert.deepEqual(await askWitnesses(context), { asked: 3, signed: 2 });
      assert.deepEqual([await stopped(context), (await troubleOfLog(context)).unproven], ['', null]);
      await appendBatch(context);
      assert.equal(await publishLog(context), 3);
      assert.deepEqual(await askWitnesses(context), { asked: 3, signed: 2 });
      assert.equal(await grow(context, 1), 4);
    });

    it('goes on when that witness signs, or is taken out of the policy', async () => {
      const [a, liar] = [newKeys('witness.example/a'), newKeys('witness.example/l')];
      const facts = await logFacts();
      const lying = witness(liar, facts);
      const lineOfA = `witness a ${edVkey(a)} ${await urlOf(witness(a, facts).behave)}\n`;
      const lineOfLiar = `witness l ${edVkey(liar)} ${await urlOf(lying.behave)}\n`;
      const both = withPolicy(`${lineOfA}${lineOfLiar}group g all a l\nquorum g\n`);
      await grow(both, 2);
      await askWitnesses(both);
      const { size } = lying.state;
      lying.state.size = 1_000;
      await grow(both, 1);
      await askWitnesses(both);
      assert.equal(await grow(both, 1), null);
      assert.match(await stopped(both), /witness l contradicts/);
      lying.state.size = size;
      await askWitnesses(both);
      assert.equal(await grow(both, 1), 5);
      assert.equal(await stopped(both), '');
      lying.state.size = 1_000;
      await askWitnesses(both);
      assert.equal(await grow(both, 1), null);
      assert.equal(await grow(withPolicy(`${lineOfA}quorum a\n`), 1), 7);
    });

    it('stands for a worker without a policy too, which knows of nobody that they are taken out', async () => {
      const keys = newKeys('witness.example/a');
      const { behave, state } = witness(keys, await logFacts());
      const line = `witness a ${edVkey(keys)} ${await urlOf(behave)}\n`;
      const context = withPolicy(`${line}quorum a\n`);
      await grow(context, 2);
      await askWitnesses(context);
      state.size = 1_000;
      await grow(context, 1);
      await askWitnesses(context);
      assert.equal(await grow(own.context, 1), null);
      assert.match(await stopped(context), /witness a contradicts/);
      assert.equal(await grow(context, 1), null);
      assert.equal(await grow(withPolicy('quorum none\n'), 1), 6);
    });

    /** Answers each call with the next of these, and then with the last again: bodies of 409. */
    const conflicts =
      (...bodies: string[]): Behaviour =>
      (answer) =>
        void answer
          .writeHead(409, { 'content-type': 'text/x.tlog.size' })
          .end(bodies.length > 1 ? bodies.shift() : bodies[0]);

    for (const [body, what] of [
      ['', 'as the protocol has it'],
      ['3\n', 'and names the size'],
      ['root hash mismatch\n', 'in words'],
    ] as const)
      it(`stops where it has signed another tree of the same size, which it says with 409, ${what}`, async () => {
        const keys = newKeys('witness.example/a');
        const context = withPolicy(`witness a ${edVkey(keys)} ${await urlOf(conflicts('3\n', body))}\nquorum a\n`);
        await grow(context, 3);
        assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 0 });
        assert.match(
          await stopped(context),
          /witness a contradicts this log. It has signed another tree of 3 claims. .*older copy.*restore a newer copy/,
        );
        assert.equal(await grow(context, 1), null);
        assert.equal((await sizesOf(context)).published_size, 3);
      });

    it('stops where it shows another tree of the size that it is known to have signed', async () => {
      const keys = newKeys('witness.example/a');
      const { behave, state } = witness(keys, await logFacts());
      const context = withPolicy(`witness a ${edVkey(keys)} ${await urlOf(behave)}\nquorum a\n`);
      await grow(context, 3);
      await askWitnesses(context);
      await removeHead();
      assert.equal(await grow(context, 1), null);
      state.root = Buffer.alloc(32, 1);
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 0 });
      assert.deepEqual(state.answers.slice(-1), [409]);
      assert.match(await stopped(context), /It has signed another tree of 3 claims/);
      assert.equal(await publishLog(context), null);
    });

    it('is signed by one that was shown the same checkpoint while it was asked', async () => {
      const keys = newKeys('witness.example/a');
      const { behave, state } = witness(keys, await logFacts());
      let meanwhile = (): void => undefined;
      const url = await urlOf((answer, call, socket) => {
        meanwhile();
        behave(answer, call, socket);
      });
      const context = withPolicy(`witness a ${edVkey(keys)} ${url}\nquorum a\n`);
      await grow(context, 2);
      await askWitnesses(context);
      await grow(context, 2);
      const { rootHash: root } = parseCheckpoint(parseNote((await newestCheckpoint(context)).note).text);
      meanwhile = () => Object.assign(state, { size: 4, root });
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 1 });
      assert.deepEqual([state.answers.slice(-2), await stopped(context)], [[409, 200], '']);
    });

    it('is asked three times at most, no matter which sizes it names', async () => {
      const keys = newKeys('witness.example/a');
      let calls = 0;
      const url = await urlOf((answer) => {
        calls += 1;
        answer.writeHead(409).end(`${calls}\n`);
      });
      const context = withPolicy(`witness a ${edVkey(keys)} ${url}\nquorum a\n`);
      await grow(context, 5);
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 0 });
      assert.equal(calls, 3);
      assert.equal(await stopped(context), '');
    });

    it('is confirmed by none that has lost what it had signed', async () => {
      const keys = newKeys('witness.example/a');
      const { behave, state } = witness(keys, await logFacts());
      const context = withPolicy(`witness a ${edVkey(keys)} ${await urlOf(behave)}\nquorum a\n`);
      await grow(context, 2);
      await askWitnesses(context);
      const before = { ...state };
      await grow(context, 3);
      await askWitnesses(context);
      await removeHead();
      assert.equal(await grow(context, 1), null);
      Object.assign(state, { size: before.size, root: before.root });
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 1 });
      assert.notEqual((await troubleOfLog(context)).unproven, null);
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 1 });
      assert.equal((await troubleOfLog(context)).unproven, null, 'it has the tree again');
    });

    it('stops, no matter who confirms it, where those who know another tree are enough for clients', async () => {
      const [a, b] = [newKeys('witness.example/a'), newKeys('witness.example/b')];
      const facts = await logFacts();
      const [known, other] = [witness(a, facts), witness(b, facts)];
      let isAway = false;
      const urlOfB = await urlOf((answer, call, socket) => (isAway ? resets : other.behave)(answer, call, socket));
      const context = withPolicy(
        `witness a ${edVkey(a)} ${await urlOf(known.behave)}\nwitness b ${edVkey(b)} ${urlOfB}\ngroup g any a b\nquorum g\n`,
      );
      await grow(context, 2);
      await askWitnesses(context);
      other.state.size = 5;
      await removeHead();
      assert.equal(await grow(context, 1), null);
      assert.deepEqual(await askWitnesses(context), { asked: 2, signed: 1 });
      assert.match(await stopped(context), /witness b contradicts/);
      isAway = true;
      assert.deepEqual(await askWitnesses(context), { asked: 2, signed: 1 });
      assert.equal(await publishLog(context), null, 'that it does not answer takes nothing back');
      assert.match(await stopped(context), /witness b contradicts/);
    });

    it('goes on when one of two is taken out of the policy that know another tree no sooner than without the other', async () => {
      const [a, b] = [newKeys('witness.example/a'), newKeys('witness.example/b')];
      const facts = await logFacts();
      const [one, two] = [witness(a, facts), witness(b, facts)];
      const lineOfA = `witness a ${edVkey(a)} ${await urlOf(one.behave)}\n`;
      const lineOfB = `witness b ${edVkey(b)} ${await urlOf(two.behave)}\n`;
      const both = withPolicy(`${lineOfA}${lineOfB}group g all a b\nquorum g\n`);
      await grow(both, 2);
      await askWitnesses(both);
      one.state.size = two.state.size = 9;
      await grow(both, 1);
      await askWitnesses(both);
      assert.match(await stopped(both), /witness a contradicts this log.*witness b contradicts this log/);
      for (const line of [lineOfA, lineOfB])
        assert.equal(await grow(withPolicy(`${line}quorum ${line[8]}\n`), 1), null);
      assert.equal(await grow(withPolicy(`witness c ${edVkey(newKeys('c'))}\nquorum c\n`), 1), 6);
    });

    it('stops where one of the policy sends what it signed of another tree, though the line of the log is missing', async () => {
      const keys = newKeys('witness.example/a');
      const { behave } = witness(keys, await logFacts());
      const context = withPolicy(`witness a ${edVkey(keys)} ${await urlOf(behave)}\nquorum a\n`);
      await grow(context, 3);
      const { origin } = await logFacts();
      const sends = (text: string): Promise<void> =>
        assert.rejects(receiveWitnessSignatures(context, Buffer.from(`${text}\n${cosign(text, keys).ed25519}`)), {
          code: 'CONFLICT',
        });
      const { text } = parseNote((await bestCheckpoint(context, 1))?.note ?? '');
      await sends(`${text}an extension\n`);
      assert.equal(await stopped(context), '', 'it is the same tree');
      await sends(checkpointText({ origin, size: 7, rootHash: Buffer.alloc(32, 1) }));
      assert.match(await stopped(context), /witness a contradicts this log. It has signed a tree of 7 claims/);
      assert.equal(await grow(context, 1), null);
      await askWitnesses(context);
      assert.equal(await publishLog(context), null, 'one that had signed nothing confirms nothing');
      await askWitnesses(context);
      assert.equal(await grow(context, 1), 5);
    });

    it('takes it for no other tree where that one was published while the witness was asked', async () => {
      const keys = newKeys('witness.example/a');
      const { behave, state } = witness(keys, await logFacts());
      await growBy(2);
      let isFirst = true;
      const url = await urlOf((answer, call, socket) => {
        // Somebody else shows it what is published meanwhile.
        const meanwhile = isFirst ? growBy(2) : Promise.resolve();
        if (isFirst) state.size = 4;
        isFirst = false;
        void meanwhile.then(() => behave(answer, call, socket));
      });
      const context = withPolicy(`witness a ${edVkey(keys)} ${url}\nquorum a\n`);
      assert.deepEqual(await askWitnesses(context), { asked: 1, signed: 0 });
      assert.equal(await stopped(context), '');
    });
  });

  it('is what clients follow: the newest checkpoint that meets the policy, and the newest of all has its own address', async () => {
    const keys = newKeys('witness.example/a');
    const { behave } = witness(keys, await logFacts());
    const text = `witness a ${edVkey(keys)} ${await urlOf(behave)}\nquorum a\n`;
    const context = withPolicy(text);
    const [id = ''] = await recordClaims(context, 2);
    await growBy(0);
    assert.equal((await checkpointToFollow(context)).tree_size, 2, 'none meets it yet');
    await askWitnesses(context);
    await growBy(3);
    assert.deepEqual(
      [(await checkpointToFollow(context)).tree_size, (await newestCheckpoint(context)).tree_size],
      [2, 5],
    );
    assert.equal((await checkpointToFollow(own.context)).tree_size, 5, 'without a policy');
    await growBy(1);
    await askWitnesses(context);
    assert.equal((await checkpointToFollow(context)).tree_size, 6);
    const bundle = (await bundleOf(context, serviceCaller, id)) ?? assert.fail();
    const proof = bundle.tlog_proof.slice(bundle.tlog_proof.indexOf('\n\n') + 2);
    assert.equal(proof, bundle.latest.checkpoint, 'in a tree that a witness has signed');
    assert.deepEqual(verifyNote(proof, [edVkey(keys)]).verifiedBy, [keys.name]);
    const trust = {
      logs: [parseVerifierKey(bundle.log.vkey)],
      policy: parsePolicy(text),
      older: null,
      consistency: null,
    };
    const { status, findings } = verifyBundle(parseJson(JSON.stringify(bundle)), trust);
    assert.equal(status, 'verified', JSON.stringify(findings));
    await growBy(1);
    const unwitnessed = (await bundleOf(own.context, serviceCaller, id)) ?? assert.fail();
    assert.equal(unwitnessed.tlog_proof.slice(unwitnessed.tlog_proof.indexOf('\n\n') + 2), unwitnessed.checkpoint);
  });

  it('asks nobody about an empty tree, without a policy, or without addresses', async () => {
    assert.deepEqual(
      await askWitnesses(withPolicy(`witness a ${edVkey(newKeys('a'))} https://w.example\nquorum a\n`)),
      { asked: 0, signed: 0 },
    );
    await growBy(1);
    assert.deepEqual(await askWitnesses(own.context), { asked: 0, signed: 0 });
    assert.deepEqual(await askWitnesses(withPolicy(`witness a ${edVkey(newKeys('a'))}\nquorum a\n`)), {
      asked: 0,
      signed: 0,
    });
  });
});

describe('POST /v1/log/witness-signatures', () => {
  let operator: TestOperator;
  let claim: Claim;
  let note: string;
  before(async () => {
    operator = await buildOperator();
    claim = await submit(operator, { payload: { any: 'thing' } });
    await eventually(
      'the claim to be in the log',
      async () => (await operator.get(`/v1/claims/${claim.id}/receipt`)).status === 200,
    );
    note = (await anonymous().get('/v1/log/checkpoint')).text;
  });
  const send = (text: string) =>
    anonymous().post<{ tree_size: number; witnesses: string[] }>('/v1/log/witness-signatures', text);
  const refused = (text: string) => anonymous().post('/v1/log/witness-signatures', text);
  const bare = (): string => parseNote(note).text;

  it('keeps what known witnesses signed, under the checkpoint and in bundles', async () => {
    const { ed25519, mlDsa44 } = cosign(bare(), WITNESS);
    const reply = assertStatus(await send(note + ed25519 + mlDsa44), 200);
    const [, size] = bare().split('\n');
    assert.deepEqual(reply, { tree_size: Number(size), witnesses: [WITNESS.name] });
    assert.deepEqual(
      assertStatus(await send(`${bare()}\n${ed25519}`), 200),
      reply,
      'again, and without the line of the log',
    );
    const { latest } = assertStatus(
      await operator.get<{ latest: { checkpoint: string; witnesses: string[]; quorum: null } }>(
        `/v1/claims/${claim.id}/bundle`,
      ),
      200,
    );
    assert.deepEqual([latest.witnesses, latest.quorum], [[WITNESS.name], null]);
    assert.equal(latest.checkpoint, note + ed25519 + mlDsa44);
    assert.deepEqual(verifyNote(latest.checkpoint, Object.values(witnessVkeys)).verifiedBy, [WITNESS.name]);
  });

  it('refuses what no known witness signed, or one did not', async () => {
    const stranger = cosign(bare(), newKeys(WITNESS.name));
    assertProblem(await refused(note), 'INVALID_SIGNATURE');
    assertProblem(await refused(note + stranger.ed25519), 'INVALID_SIGNATURE');
    const { ed25519 } = cosign(`${bare()}more\n`, WITNESS);
    assertProblem(await refused(note + ed25519), 'INVALID_SIGNATURE');
  });

  it('refuses a cosignature of no time, and of a day that has not come', async () => {
    const now = Math.floor(Date.now() / 1_000);
    for (const seconds of [0, now + 2 * 86_400, 9_000_000_000_000])
      for (const line of Object.values(cosign(bare(), WITNESS, seconds))) {
        const reply = await refused(note + line);
        assertProblem(reply, 'VALIDATION_ERROR', 'note');
        assert.match(reply.text, /names 0|more than a day from now/);
      }
    assertStatus(await send(note + cosign(bare(), WITNESS, now + 3_600).ed25519), 200);
  });

  it('refuses a checkpoint that this log does not have, though a witness signed it', async () => {
    const [origin = '', size = ''] = bare().split('\n');
    for (const [at, rootHash] of [
      [Number(size), Buffer.alloc(32, 1)],
      [Number(size) + 1_000_000, Buffer.alloc(32, 1)],
    ] as const) {
      const text = checkpointText({ origin, size: at, rootHash });
      assertProblem(await refused(`${text}\n${cosign(text, WITNESS).ed25519}`), 'CONFLICT');
    }
  });

  it('refuses other logs, and what is no checkpoint', async () => {
    const other = checkpointText({ origin: 'other.example', size: 1, rootHash: Buffer.alloc(32) });
    assertProblem(await refused(`${other}\n${cosign(other, WITNESS).ed25519}`), 'VALIDATION_ERROR', 'note');
    const text = signNote('no checkpoint\n', { name: 'n', privateKey: WITNESS.ed25519 });
    for (const wrong of ['', '{}', 'text', text, `${note}x`, `\u0000${note}`])
      assertProblem(await refused(wrong), 'VALIDATION_ERROR', 'note');
    assertProblem(await refused('x'.repeat(64 * 1024 + 1)), 'BODY_TOO_LARGE');
  });
});

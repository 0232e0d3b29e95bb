import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { walk, type Fetch } from '../../scripts/monitor/monitor.ts';
import { startProgram } from '../support/process.ts';
import { leafOf, newKeys, noteOf, TestLog, type Keys } from '../verify/log.ts';

/** A log that answers over HTTP, and can be replaced by another one behind the same address. */
class Served {
  /** `proves`: up to which size it gives proofs; that of its checkpoint unless this says otherwise. */
  shown: {
    log: TestLog;
    size: number;
    proves?: number;
    note?: string;
    /** The newest checkpoint, where that is another than the one to follow. */
    newest?: string;
    jwks?: Keys[];
    status?: number;
    proof?: string;
    keyList?: string;
  };
  readonly server: Server;

  constructor(log: TestLog, size: number) {
    this.shown = { log, size };
    this.server = createServer((request, response) => {
      const answer = this.answer(new URL(request.url ?? '', 'http://log'));
      response.statusCode = answer === null ? (this.shown.status ?? 400) : 200;
      response.end(answer ?? '{}');
    });
  }

  /** Answers everything with this body. */
  flood(headers: Record<string, string>, body: Buffer): void {
    this.server.removeAllListeners('request').on('request', (_request, response: ServerResponse) => {
      response.writeHead(200, headers).end(body);
    });
  }

  answer({ pathname, searchParams }: URL): string | null {
    const { log, size, proves = size, note, newest, jwks, proof, keyList } = this.shown;
    if (pathname === '/v1/log/checkpoint/newest') return newest ?? note ?? log.checkpoint(size);
    if (pathname === '/v1/log/checkpoint') return note ?? log.checkpoint(size);
    if (pathname === '/.well-known/scitt-keys')
      return keyList ?? JSON.stringify({ keys: (jwks ?? [log.keys]).map(({ jwk }) => jwk) });
    const [from, to] = [Number(searchParams.get('from')), Number(searchParams.get('to'))];
    if (pathname !== '/v1/log/proofs/consistency' || from < 1 || from > to || to > proves) return null;
    return proof ?? JSON.stringify(log.consistency(from, to));
  }

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

describe('the monitor', () => {
  const keys = newKeys('carnet.log/log_watched');
  const entries = Array.from({ length: 40 }, (_, at) => leafOf(Buffer.from(`entry ${at}`)));
  const log = new TestLog(keys, entries);
  const fork = new TestLog(keys, entries.with(3, leafOf(Buffer.from('another'))));
  let served: Served;
  let url: string;
  let folder: string;
  let state: string;

  beforeEach(async () => {
    served = new Served(log, 9);
    url = await served.start();
    folder = await mkdtemp(join(tmpdir(), 'carnet-monitor-'));
    state = join(folder, 'state.json');
  });
  afterEach(async () => {
    served.server.closeAllConnections();
    served.server.close();
    await rm(folder, { recursive: true });
  });

  const run = async (...args: string[]): Promise<[number | string, string]> => {
    // A monitor that keeps a long answer ends in a heap that is full.
    const program = startProgram('scripts/monitor/main.ts', { NODE_OPTIONS: '--max-old-space-size=64' }, [
      url,
      '--state',
      state,
      ...args,
    ]);
    const code = await program.ended;
    return [code, program.output()];
  };
  const kept = (): Promise<string> => readFile(state, 'utf8');
  /** Runs once, so that there is a state, and returns it. */
  const begun = async (): Promise<string> => {
    const [code, output] = await run();
    assert.equal(code, 0, output);
    return kept();
  };

  it('trusts the key of the first run, and finds the log consistent as it stands and as it grows', async () => {
    const [first, output] = await run();
    assert.equal(first, 0, output);
    assert.match(
      output,
      /^carnet\.log\/log_watched: first look at 9 entries, root [0-9a-f]{64}; trusted on first use: carnet\.log/,
    );
    assert.deepEqual(JSON.parse(await kept()), {
      key: keys.vkey,
      checkpoint: log.checkpoint(9),
      newest: log.checkpoint(9),
    });
    const [second, again] = await run();
    assert.deepEqual([second, /consistent from 9 to 9 entries/.test(again)], [0, true], again);
    served.shown = { log, size: 40 };
    const [third, grown] = await run();
    assert.deepEqual([third, /consistent from 9 to 40 entries/.test(grown)], [0, true], grown);
    assert.deepEqual(JSON.parse(await kept()), {
      key: keys.vkey,
      checkpoint: log.checkpoint(40),
      newest: log.checkpoint(40),
    });
  });

  it('starts with an empty log', async () => {
    served.shown = { log, size: 0 };
    await begun();
    served.shown = { log, size: 5 };
    const [code, output] = await run();
    assert.deepEqual([code, /consistent from 0 to 5/.test(output)], [0, true], output);
  });

  it('with --key trusts no other, on the first run or later', async () => {
    const other = newKeys(keys.name).vkey;
    const [code, output] = await run('--key', other);
    assert.deepEqual([code, /not signed by the key/.test(output)], [1, true], output);
    await assert.rejects(kept, { code: 'ENOENT' });
    const [good, said] = await run('--key', keys.vkey);
    assert.deepEqual([good, /signed by the key that you gave/.test(said)], [0, true], said);
    const [later, why] = await run('--key', other);
    assert.deepEqual([later, /another key than --key/.test(why)], [2, true], why);
  });

  const forks: [string, () => Served['shown'] & { known?: number }, RegExp][] = [
    [
      'another tree of the same size',
      () => ({ log: fork, size: 9 }),
      /HAS FORKED: it has signed two different trees of 9 entries/,
    ],
    [
      'a longer tree with another past',
      () => ({ log: fork, size: 20 }),
      /HAS FORKED: its 20 entries do not begin with the 9/,
    ],
    [
      'a longer tree with another past, which is of a power of two of entries',
      () => ({ log: fork, size: 40, known: 8 }),
      /HAS FORKED: its 40 entries do not begin with the 8/,
    ],
    [
      'a smaller tree with which the known one does not begin, by its own proof',
      () => ({ log: fork, size: 7, proves: 9, proof: JSON.stringify(log.consistency(7, 9)) }),
      /HAS FORKED: it had 9 entries and shows 7, which are not the same ones/,
    ],
  ];
  for (const [what, shown, message] of forks)
    it(`shouts at ${what}, shows both notes and keeps its state`, async () => {
      const { known = 9, ...then } = shown();
      served.shown = { log, size: known };
      const before = await begun();
      served.shown = then;
      const [code, output] = await run();
      assert.deepEqual([code, message.test(output)], [1, true], output);
      assert.ok(
        output.includes(log.checkpoint(known)) && output.includes(served.shown.log.checkpoint(served.shown.size)),
        output,
      );
      assert.equal(await kept(), before);
    });

  for (const [what, isKnown, shown, message] of [
    ['the first run', false, { newest: fork.checkpoint(9) }, /two different trees of 9 entries/],
    ['a later run', true, { newest: fork.checkpoint(9) }, /two different trees of 9 entries/],
    ['a run that is shown less to follow', true, { size: 8, newest: fork.checkpoint(9) }, /two different trees of 9/],
    [
      'a run that is shown a longer one',
      true,
      { proves: 20, newest: fork.checkpoint(20), proof: JSON.stringify(fork.consistency(9, 20)) },
      /its 20 entries do not begin with the 9/,
    ],
  ] as const)
    it(`shouts on ${what} where the newest checkpoint is of another tree than the one to follow`, async () => {
      const before = isKnown ? await begun() : null;
      served.shown = { log, size: 9, ...shown };
      const [code, output] = await run();
      assert.deepEqual([code, message.test(output)], [1, true], output);
      assert.ok(output.includes(log.checkpoint(9)) && output.includes(shown.newest), output);
      if (before !== null) assert.equal(await kept(), before);
    });

  it('remembers the newest checkpoint beside the one that it follows', async () => {
    const late = new TestLog(keys, entries.with(7, leafOf(Buffer.from('another'))));
    served.shown = { log: late, size: 5, proves: 9, newest: late.checkpoint(9) };
    const before = await begun();
    served.shown = { log, size: 9 };
    const [code, output] = await run();
    assert.deepEqual([code, /two different trees of 9 entries/.test(output)], [1, true], output);
    assert.ok(output.includes(log.checkpoint(9)) && output.includes(late.checkpoint(9)), output);
    assert.equal(await kept(), before);
    // A state of before there was a newest one.
    const { newest: _newest, ...older } = JSON.parse(before) as Record<string, string>;
    await writeFile(state, JSON.stringify(older));
    assert.equal((await run())[0], 0);
  });

  it('shows the proof of a fork where the two notes have different sizes', async () => {
    await begun();
    served.shown = { log: fork, size: 20 };
    const [, output] = await run();
    const { hashes } = fork.consistency(9, 20) as { hashes: string[] };
    assert.ok(hashes.length > 0 && output.includes(hashes.join('\n')), output);
  });

  const garbled: [string, (hashes: string[]) => unknown][] = [
    ['a wrong hash', (hashes) => ({ hashes: hashes.with(0, '00'.repeat(32)) })],
    ['a wrong last hash', (hashes) => ({ hashes: [...hashes.slice(0, -1), '00'.repeat(32)] })],
    ['too few hashes', (hashes) => ({ hashes: hashes.slice(1) })],
    ['too many hashes', (hashes) => ({ hashes: [...hashes, '00'.repeat(32)] })],
    ['hashes in another order', (hashes) => ({ hashes: hashes.toReversed() })],
    ['no hashes', () => ({ hashes: [] })],
    ['the proof of other sizes', () => log.consistency(10, 20)],
  ];
  for (const [what, change] of garbled)
    it(`cries no fork at a proof with ${what}: of one log, it shows nothing`, async () => {
      for (const [from, to] of [
        [9, 20],
        [8, 20],
        [20, 9],
      ] as const) {
        const { hashes } = log.consistency(Math.min(from, to), Math.max(from, to)) as { hashes: string[] };
        served.shown = { log, size: to, proves: 40, proof: JSON.stringify(change(hashes)) };
        const fetch: Fetch = async (path) => served.answer(new URL(path, url)) ?? assert.fail(path);
        await assert.rejects(
          walk(fetch, { key: keys.vkey, checkpoint: log.checkpoint(from), newest: log.checkpoint(from) }, null),
          {
            name: 'Unproven',
            message: /nothing shows that its trees of/,
            notes: [log.checkpoint(from), log.checkpoint(to)],
          },
        );
      }
    });

  it('exits 4 at a smaller tree for which the log gives a proof to a tree that it has not signed', async () => {
    const before = await begun();
    served.shown = { log: fork, size: 8, proves: 9 };
    const [code, output] = await run();
    assert.deepEqual([code, /rolled back to an older copy, or hides a fork/.test(output)], [4, true], output);
    assert.equal(await kept(), before);
  });

  for (const size of [8, 0])
    it(`exits 3 where the log shows the first ${size} of the entries that it had, and keeps its state`, async () => {
      const before = await begun();
      served.shown = { log, size, proves: 9 };
      const [code, output] = await run();
      assert.deepEqual(
        [code, output.includes(`shows an older tree: it had 9 entries and shows ${size} of the same`)],
        [3, true],
        output,
      );
      assert.doesNotMatch(output, /FORKED|—/);
      assert.equal(await kept(), before);
    });

  for (const [why, status] of [
    ['refuses the proof, as one that was rolled back does', undefined],
    ['gives none for a moment', 503],
  ] as const)
    it(`exits 4, cries no fork and shows both notes where the log shows a smaller tree and ${why}`, async () => {
      const before = await begun();
      served.shown = { log, size: 8, ...(status !== undefined && { status }) };
      const [code, output] = await run();
      assert.deepEqual([code, /rolled back to an older copy, or hides a fork/.test(output)], [4, true], output);
      assert.doesNotMatch(output, /FORKED/);
      assert.ok(output.includes(log.checkpoint(9)) && output.includes(log.checkpoint(8)), output);
      assert.equal(await kept(), before);
    });

  it('takes a file with the key, as the service gives it', async () => {
    const file = join(folder, 'log.vkey');
    await writeFile(file, `${keys.vkey}\n`);
    const [code, output] = await run('--key', file);
    assert.deepEqual([code, /signed by the key that you gave/.test(output)], [0, true], output);
    await writeFile(file, 'nothing\n');
    const [wrong, why] = await run('--key', file);
    assert.deepEqual([wrong, /log\.vkey cannot be read/.test(why)], [2, true], why);
  });

  it('prints its usage for --help, and exits 0', async () => {
    const [code, output] = await run('--help');
    assert.deepEqual([code, output.startsWith('usage: npm run monitor')], [0, true], output);
  });

  it('exits 1 where the checkpoint is not signed by the key of the log', async () => {
    const before = await begun();
    const other = newKeys(keys.name);
    for (const note of [noteOf(log.text(12), other), log.checkpoint(12).replace('\n12\n', '\n13\n')]) {
      served.shown = { log, size: 12, note, jwks: [other] };
      const [code, output] = await run();
      assert.deepEqual([code, /not signed by the key|is not of its key/.test(output)], [1, true], output);
    }
    assert.equal(await kept(), before);
  });

  it('exits 1 where none of the keys that the log shows has signed', async () => {
    served.shown = { log, size: 12, jwks: [newKeys(keys.name)] };
    const [code, output] = await run();
    assert.deepEqual([code, /signed by none of the 1 keys/.test(output)], [1, true], output);
  });

  it('exits 2 at an answer longer than any of a log, packed or not, and reads it no further', async () => {
    const large = Buffer.alloc(100 * 1_048_576, 'x');
    for (const [headers, body] of [
      [{}, large],
      [{ 'content-encoding': 'gzip' }, gzipSync(large)],
    ] as const) {
      served.flood(headers, body);
      const [code, output] = await run();
      assert.deepEqual([code, /answers more than 1000000 bytes/.test(output)], [2, true], output);
    }
    await assert.rejects(kept, { code: 'ENOENT' });
  });

  it('exits 2, and keeps its state, where what is answered is no checkpoint or no key, and 4 where it is no proof', async () => {
    const pages = ['<!doctype html><title>Down for maintenance</title>', '', '{}', 'a\n\nb', log.text(12)];
    for (const note of pages) {
      served.shown = { log, size: 12, note };
      const [first, output] = await run();
      assert.equal(first, 2, `${note}: ${output}`);
      await assert.rejects(kept, { code: 'ENOENT' });
    }
    served.shown = { log, size: 9 };
    const before = await begun();
    for (const note of pages) {
      served.shown = { log, size: 12, note };
      const [code, output] = await run();
      assert.deepEqual([code, output.includes('FORKED')], [2, false], `${note}: ${output}`);
    }
    for (const proof of ['<!doctype html>', '{"hashes":1}', '{"hashes":["zz"]}', '{}']) {
      served.shown = { log, size: 12, proof };
      const [code, output] = await run();
      assert.deepEqual([code, output.includes('FORKED')], [4, false], `${proof}: ${output}`);
      assert.ok(output.includes(log.checkpoint(9)) && output.includes(log.checkpoint(12)), output);
    }
    assert.equal(await kept(), before);
    await rm(state);
    served.shown = { log, size: 9 };
    for (const key of ['garbage', '', `${keys.vkey}=`, keys.name]) {
      const [code, output] = await run('--key', key);
      assert.equal(code, 2, `${key}: ${output}`);
    }
    served.shown = { log, size: 9, keyList: '<!doctype html>' };
    const [unreadable, why] = await run();
    assert.equal(unreadable, 2, why);
  });

  it('shows both notes where the log signed a longer tree and refuses the proof', async () => {
    const before = await begun();
    served.shown = { log: fork, size: 20, proves: 8 };
    const [code, output] = await run();
    assert.deepEqual(
      [code, /nothing shows that its trees of 9 and of 20 entries are of one log/.test(output)],
      [4, true],
    );
    assert.ok(output.includes(log.checkpoint(9)) && output.includes(fork.checkpoint(20)), output);
    assert.equal(await kept(), before);
  });

  it('exits 2 where the log does not answer, the state cannot be read, or the call is wrong', async () => {
    await begun();
    await writeFile(state, '{"key":');
    const [broken, why] = await run();
    assert.deepEqual([broken, /without it a fork would go unseen/.test(why)], [2, true], why);
    const [wrong, usage] = await run('--other');
    assert.deepEqual([wrong, /usage/.test(usage)], [2, true], usage);
    served.server.closeAllConnections();
    served.server.close();
    await rm(state);
    const [absent, said] = await run();
    assert.deepEqual([absent, /does not answer/.test(said)], [2, true], said);
  });
});

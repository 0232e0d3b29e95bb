import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { verifyBundle } from '../../scripts/verify/checks.ts';
import { Fault } from '../../scripts/verify/fault.ts';
import { parseJson } from '../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../scripts/verify/keys.ts';
import { assertSigned } from '../../src/claims/co-signatures/profile.ts';
import { CoseFault } from '../../src/cose/sign1.ts';
import { HISTORIES, SEED } from '../billing/ledger/proof/histories.ts';
import { bentText, instead, numbers, withChange } from './changed-bundles.ts';
import { needPython } from './python-here.ts';
import { payload, signer, spelled } from './co-signature-texts.ts';
import { leafOf, plainEnvelope, signedBytes, TestLog, type Members } from './log.ts';

// The profile of co-signatures is read by the service and by both verifiers, which share no code of ours: what one of them takes and another refuses
// would be evidence for some and none for others.

/**
 * Ten thousand headers and five hundred bundles of each kind; PROOF_HISTORIES=1000 makes twenty times as many. What fails names the text that did:
 * to make a list of fifty smaller would take for ever.
 */
const HEADERS = 200 * HISTORIES;
const BUNDLES = 10 * HISTORIES;
/** Co-signatures of one bundle: a bundle takes longer to verify than they do. */
const TOGETHER = 50;

const INDEX = 5;
const log = TestLog.around(plainEnvelope, { index: INDEX, total: 23 });

const kept = (text: string): Members => ({
  signer_kid: signer.jwk.kid,
  signer_role: 'agent_self',
  cose_sign1: text,
  verified: true,
  jwk: signer.jwk,
});

/** Reads a bundle a line, and answers each with a line: what the program would exit with, and what it says of each co-signature. */
const DRIVER = `
import importlib.util, json, sys, tempfile
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
key = program.trusted(sys.argv[2])
with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
    for line in sys.stdin:
        file.seek(0); file.truncate(); file.write(line); file.flush()
        lines, code = [], 0
        try:
            bundle = program.bundle_in(file.name)
            try:
                erased, _ = program.verify(bundle, key)
                code = 3 if erased else 0
            except (program.InvalidSignature, *program.BROKEN): code = 1
            lines = [one.split(" ")[0].rstrip(":") for one in program.co_signatures(bundle)]
        except program.BROKEN: code = 1
        print(json.dumps([code, lines]), flush=True)`;

/** Proofs with hashes and without any, and a claim whose payload was erased. */
function bases(): Members[] {
  const { payload: _payload, ...left } = plainEnvelope;
  const grown = log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23 });
  return [
    grown,
    log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 11 }),
    TestLog.around(plainEnvelope, { index: 0, total: 1, keys: log.keys }).bundle(plainEnvelope, {
      index: 0,
      size: 1,
      newest: 1,
    }),
    { ...grown, envelope: left, erased: true, leaf_hash: leafOf(signedBytes(plainEnvelope)).toString('hex') },
  ];
}

type Said = [number, string[]];

/** A bundle takes milliseconds. One that the program waits for something with would take the test with it. */
const HUNG_MS = 120_000;

describe('service, TypeScript and Python read co-signatures alike', function () {
  this.timeout(1_800_000);
  let python: ReturnType<typeof spawn> | undefined;
  let ask: (text: string) => Promise<Said>;

  before(async function () {
    await needPython(this);
    const child = spawn('python3', ['-c', DRIVER, 'docs/verify-claim.py', log.keys.vkey], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    python = child;
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    ask = async (text) => {
      child.stdin.write(`${text}\n`);
      const hung = setTimeout(() => child.kill(), HUNG_MS);
      const { value, done } = await answers.next();
      clearTimeout(hung);
      assert.notEqual(done, true, `the Python program has ended, or did not answer to ${text}`);
      return JSON.parse(value as string) as Said;
    };
  });
  after(() => python?.stdin?.end());

  const MARKS = { ok: 'ok', void: 'void', skipped: '-', failed: 'failed' } as const;
  const inTypeScript = (text: string): Said => {
    const trust = { logs: [parseVerifierKey(log.keys.vkey)], policy: null, older: null, consistency: null };
    try {
      const { status, findings } = verifyBundle(parseJson(text), trust);
      const beside = findings
        .filter(({ check }) => check.startsWith('co-signature'))
        .map(({ outcome }) => MARKS[outcome]);
      return [{ verified: 0, erased: 3, failed: 1 }[status], beside];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return [1, []];
    }
  };
  /** Whether all that TypeScript refuses is what docs/claims.md says that the Python program leaves to it. */
  const leftToTypeScript = (text: string): boolean => {
    const trust = { logs: [parseVerifierKey(log.keys.vkey)], policy: null, older: null, consistency: null };
    return verifyBundle(parseJson(text), trust)
      .findings.filter(({ outcome }) => outcome === 'failed')
      .every(
        ({ check, text: said }) =>
          check === 'schema' ||
          (check === 'receipt' && /has, or lacks|registered_at/.test(said)) ||
          (check === 'revocation' && /as_of/.test(said)),
      );
  };
  const byService = (text: string): string => {
    try {
      assertSigned(
        { signer_kid: signer.jwk.kid, signer_role: 'agent_self', cose_sign1: text },
        { x: signer.jwk.x, payload },
      );
      return 'ok';
    } catch (error) {
      if (!(error instanceof CoseFault)) throw error;
      return 'void';
    }
  };

  it('in any headers', async () => {
    const counts: Record<string, number> = { ok: 0, void: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(spelled, { minLength: TOGETHER, maxLength: TOGETHER, size: 'max' }), async (texts) => {
        const bundle = {
          ...log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23 }),
          co_signatures: texts.map(kept),
        };
        const file = JSON.stringify(bundle);
        const [[code, lines], [codeInPython, linesInPython]] = [inTypeScript(file), await ask(file)];
        assert.deepEqual([code, codeInPython], [0, 0], 'a co-signature never decides the claim');
        for (const [at, text] of texts.entries()) {
          const said = [byService(text), lines[at], linesInPython[at]];
          assert.equal(new Set(said).size, 1, `service, TypeScript, Python: ${said.join()} on ${text}`);
          counts[said[0] ?? ''] = (counts[said[0] ?? ''] ?? 0) + 1;
        }
      }),
      { seed: SEED, numRuns: HEADERS / TOGETHER, endOnFailure: true },
    );
    assert.ok(Math.min(counts['ok'] ?? 0, counts['void'] ?? 0) > HEADERS / 20, JSON.stringify(counts));
  });

  it('in bundles that were changed anywhere in them', async () => {
    await fc.assert(
      fc.asyncProperty(
        spelled,
        fc.constantFrom<Members | null>({}, { jwk: null, verified: false }, { jwk: null }, { verified: false }, null),
        fc.array(fc.tuple(fc.array(fc.nat(30), { maxLength: 4 }), instead), { minLength: 1, maxLength: 3 }),
        async (text, more, changes) => {
          const list = changes.reduce<unknown>(
            (value, [path, replacement]) => withChange(value, path, replacement),
            [{ ...kept(text), ...more }],
          );
          if (!Array.isArray(list)) return; // a bundle without its list is none
          const bundle = { ...log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23 }), co_signatures: list };
          const file = JSON.stringify(bundle);
          const said = inTypeScript(file);
          assert.deepEqual(await ask(file), said, file.slice(file.indexOf('"co_signatures"')));
          assert.equal(said[0], 0, 'a co-signature never decides the claim');
        },
      ),
      { seed: SEED, numRuns: BUNDLES, endOnFailure: true },
    );
  });

  it('in bundles that are nested as deep as they may, and deeper', async () => {
    const file = JSON.stringify(log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23 }));
    const nested = (depth: number) => file.replace('{', `{"unknown":${'['.repeat(depth)}${']'.repeat(depth)},`);
    for (const [depth, code] of [
      [199, 0],
      [200, 1],
      [250, 1],
      [5_000, 1],
    ] as const)
      assert.deepEqual([inTypeScript(nested(depth))[0], (await ask(nested(depth)))[0]], [code, code], `${depth}`);
  });

  it('and every other member of a bundle: claim, proof, tree head, keys', async function () {
    process.stderr.write(`seed ${SEED}, ${BUNDLES} bundles\n`);
    const counts: Record<number, number> = {};
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.array(fc.nat(30), { minLength: 1, maxLength: 6 }),
            fc.oneof({ weight: 3, arbitrary: instead }, numbers),
          ),
          { maxLength: 2 },
        ),
        fc.option(fc.tuple(fc.nat(30), fc.nat(60), fc.constantFrom('again', 'more', 'spelled', 'deep'))),
        fc.constantFrom(...bases()),
        async (changes, inText, base) => {
          const changed = changes.reduce<unknown>(
            (value, [path, replacement]) => withChange(value, path, replacement),
            base,
          );
          const file = bentText(JSON.stringify(changed), inText);
          const [code] = inTypeScript(file);
          const [codeInPython] = await ask(file);
          if (code !== codeInPython)
            assert.deepEqual([code, codeInPython, leftToTypeScript(file)], [1, codeInPython, true], file);
          counts[code] = (counts[code] ?? 0) + 1;
        },
      ),
      { seed: SEED, numRuns: BUNDLES, endOnFailure: true },
    );
    assert.ok(Math.min(counts[0] ?? 0, counts[1] ?? 0) > BUNDLES / 50, JSON.stringify(counts));
  });
});

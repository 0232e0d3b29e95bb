import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { sign } from 'node:crypto';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { verifyBundle } from '../../scripts/verify/checks.ts';
import { Fault } from '../../scripts/verify/fault.ts';
import { parseJson } from '../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../scripts/verify/keys.ts';
import { assertSigned } from '../../src/claims/co-signatures/profile.ts';
import { CoseFault } from '../../src/cose/sign1.ts';
import { HISTORIES, SEED } from '../billing/ledger/proof/histories.ts';
import { cbor, newKeys, plainEnvelope, signedBytes, TestLog, type Members } from './log.ts';

// The profile of co-signatures is read by the service and by both verifiers, which share no code: what one of them takes and another refuses
// would be evidence for some and none for others.

/** Ten thousand headers and five hundred bundles; PROOF_HISTORIES=1000 makes twenty times as many. */
const HEADERS = 200 * HISTORIES;
const BUNDLES = 10 * HISTORIES;
/** Co-signatures of one bundle: a bundle takes longer to verify than they do. */
const TOGETHER = 50;

const signer = newKeys('signer');
const INDEX = 5;
const log = TestLog.around(plainEnvelope, INDEX, 23);
const payload = signedBytes(plainEnvelope);
const kid = Buffer.from(signer.jwk.kid);

const head = (major: number, value: number): Buffer => {
  const bytes = cbor(value);
  bytes[0] = (major << 5) | ((bytes[0] ?? 0) & 0x1f);
  return bytes;
};
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** What stands in headers: what the profile takes, what it refuses, and both inside of containers and under tags. */
const { item } = fc.letrec<{ item: Buffer }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', maxDepth: 6 },
    fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: -70_000, max: 70_000 }).map((value) => cbor(value)) },
      { weight: 3, arbitrary: fc.uint8Array({ maxLength: 30 }).map((bytes) => cbor(Buffer.from(bytes))) },
      { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => cbor(text)) },
      // Taken: null, true, false, integers past 2^53, a mark of byte order as a text.
      fc
        .constantFrom('f6', 'f5', 'f4', '1b0020000000000000', '1bffffffffffffffff', '3bffffffffffffffff', '63efbbbf')
        .map(hex),
      // Refused: floats, other simple values, longer forms, indefinite lengths, faulty texts, what is reserved or ends too early.
      fc
        .constantFrom(
          'f93c00',
          'f9c800',
          'fa3f800000',
          'fb3ff0000000000000',
          'f97e00',
          'f7',
          'e0',
          'f0',
          'f818',
          'f820',
          'ff',
        )
        .map(hex),
      fc
        .constantFrom(
          '1801',
          '190001',
          '1a00000001',
          '1b0000000000000001',
          '3800',
          '5800',
          '7800',
          '9800',
          'b800',
          'd80100',
        )
        .map(hex),
      fc
        .constantFrom(
          '5fff',
          '7fff',
          '9fff',
          'bfff',
          '61ff',
          '63eda080',
          '62c080',
          '1c',
          '7e',
          '5b7fffffffffffffff',
          '9bffffffffffffffff',
        )
        .map(hex),
    ),
    fc.array(tie('item'), { maxLength: 3 }).map((items) => Buffer.concat([head(4, items.length), ...items])),
    fc.tuple(fc.nat(70_000), tie('item')).map(([tag, value]) => Buffer.concat([head(6, tag), value])),
    fc
      .array(
        fc.tuple(
          fc.oneof({ weight: 5, arbitrary: fc.integer({ min: -3, max: 30 }).map((label) => cbor(label)) }, tie('item')),
          tie('item'),
        ),
        {
          maxLength: 3,
        },
      )
      .map((members) => Buffer.concat([head(5, members.length), ...members.flat()])),
  ),
}));
/** Levels around the sixteenth. */
const nested = fc
  .tuple(fc.constantFrom('81', 'c1', 'a101'), fc.integer({ min: 10, max: 18 }))
  .map(([container, levels]) => hex(`${container.repeat(levels)}00`));

type Member = [Buffer, Buffer];
const label = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom<number | string>(3, 5, 6, 15, 33, 99, -1, -70_001, 'x', 'é').map((one) => cbor(one)),
  },
  { weight: 1, arbitrary: fc.constantFrom(1, 2, 4).map((one) => cbor(one)) },
  { weight: 1, arbitrary: item },
);
const member: fc.Arbitrary<Member> = fc.tuple(label, fc.oneof({ weight: 5, arbitrary: item }, nested));
const alg = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(-8, -19).map((one) => [[cbor(1), cbor(one)] as Member]) },
  fc.constantFrom<Member[]>(
    [],
    [[cbor(1), cbor(-7)]],
    [[cbor(1), cbor('EdDSA')]],
    [[cbor(1), hex('f9c800')]],
    [[cbor(1), hex('f6')]],
  ),
);
const naming = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom<[Member[], Member[]]>(
      [[[cbor(4), cbor(kid)]], []],
      [[], [[cbor(4), cbor(kid)]]],
      [[], []],
    ),
  },
  fc.constantFrom<[Member[], Member[]]>(
    [[[cbor(4), cbor(kid)]], [[cbor(4), cbor(kid)]]],
    [[[cbor(4), cbor(Buffer.from('x'))]], []],
    [[], [[cbor(4), hex('f6')]]],
    [[[cbor(4), cbor(kid.toString())]], []],
  ),
);
const mapOf = (members: Member[]): Buffer => Buffer.concat([head(5, members.length), ...members.flat()]);
const few = fc.oneof({ weight: 2, arbitrary: fc.constant<Member[]>([]) }, fc.array(member, { maxLength: 3 }));

/** A message whose headers are well made or not, signed as its protected bytes are. */
const message: fc.Arbitrary<Buffer> = fc
  .record({
    alg,
    naming,
    protectedMore: few,
    unprotectedMore: few,
    turned: fc.boolean(),
    tag: fc.constantFrom('d2', 'd2', 'd2', '', '', 'd1', 'd812', 'd2d2'),
    attached: fc.oneof(
      { weight: 12, arbitrary: fc.constant(hex('f6')) },
      fc.constantFrom(hex('40'), cbor(payload), hex('f7'), hex('f5')),
    ),
    parts: fc.constantFrom('84', '84', '84', '84', '84', '84', '85', '83', '9804', '9f'),
    signed: fc.oneof({ weight: 12, arbitrary: fc.constant(payload) }, fc.constant(Buffer.from('else'))),
  })
  .map((made) => {
    const members = [...made.alg, ...made.naming[0], ...made.protectedMore];
    const header = members.length === 0 ? Buffer.alloc(0) : mapOf(made.turned ? members.toReversed() : members);
    const signature = sign(null, cbor(['Signature1', header, Buffer.alloc(0), made.signed]), signer.privateKey);
    const unprotected = mapOf([...made.naming[1], ...made.unprotectedMore]);
    return Buffer.concat([hex(made.tag), hex(made.parts), cbor(header), unprotected, made.attached, cbor(signature)]);
  });
/** Some bytes of it changed, cut off, put in. */
const bent: fc.Arbitrary<Buffer> = fc
  .tuple(message, fc.nat(), fc.nat(255), fc.constantFrom('set', 'cut', 'put', 'end'))
  .map(([bytes, place, byte, how]) => {
    const at = place % bytes.length;
    const one = Buffer.of(byte);
    if (how === 'cut') return bytes.subarray(0, at);
    if (how === 'end') return Buffer.concat([bytes, one]);
    return Buffer.concat([bytes.subarray(0, at), one, bytes.subarray(how === 'set' ? at + 1 : at)]);
  });
const spelled: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: message }, bent),
    fc.constantFrom('base64url', 'base64url', 'base64url', 'base64'),
    fc.constantFrom('', '', '', '', '', '', '', '=', '\n', 'A', 'é'),
  )
  .map(([bytes, encoding, more]) => bytes.toString(encoding as 'base64') + more);

const kept = (text: string): Members => ({
  signer_kid: signer.jwk.kid,
  signer_role: 'agent_self',
  cose_sign1: text,
  verified: true,
  jwk: signer.jwk,
});

/** Any place of a JSON value, and what may stand there instead. */
function withChange(value: unknown, path: number[], replacement: unknown): unknown {
  if (typeof value !== 'object' || value === null || path.length === 0) return replacement;
  const [step = 0, ...rest] = path;
  const names = Object.keys(value);
  if (names.length === 0) return replacement;
  const name = names[step % names.length] ?? '';
  const changed = withChange((value as Members)[name], rest, replacement);
  if (Array.isArray(value)) return value.with(Number(name), changed);
  if (changed !== undefined) return { ...value, [name]: changed };
  return Object.fromEntries(Object.entries(value).filter(([one]) => one !== name));
}
const instead = fc.constantFrom<unknown>(
  undefined,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53 - 1,
  '',
  'x',
  '0',
  'AAAA',
  '\u0000',
  'é',
  [],
  {},
  [[]],
);

/** Numbers that readers of JSON keep in different ways. */
const numbers = fc.constantFrom<unknown>(2 ** 53, -(2 ** 53), 1e21, 1e-7, 5, 11, 23, 4_294_967_296);

/**
 * A change that no value shows: a member of the text a second time, a member that nothing knows, or a number spelled in another way. Null
 * leaves the text as it is; the two numbers choose the place and what stands there.
 */
function bentText(text: string, change: [number, number, string] | null): string {
  if (change === null) return text;
  const [place, choice, how] = change;
  const members = [...text.matchAll(/"(\w+)":("[^"]*"|\d+|null|true|false)/g)];
  const found = members[(place * 61 + choice) % Math.max(members.length, 1)];
  if (found === undefined) return text;
  const [whole, name = '', value = ''] = found;
  const values = [value, 'null', '0', '"x"', '1e400', '-0', '1.0', '[]', '9007199254740993', '"\\ud800"'];
  const another = values[choice % values.length] ?? '';
  const inPlace = { again: `${whole},"${name}":${another}`, more: `${whole},"unknown_${place}":${another}` }[how];
  const spelling = `"${name}":${/^\d+$/.test(value) ? [`${value}.0`, `${value}e0`, `-${value}`, `0${value}`][choice % 4] : another}`;
  return text.slice(0, found.index) + (inPlace ?? spelling) + text.slice(found.index + whole.length);
}

const exec = promisify(execFile);
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

type Said = [number, string[]];

describe('service, TypeScript and Python read co-signatures alike', function () {
  this.timeout(1_800_000);
  let python: ReturnType<typeof spawn> | undefined;
  let ask: (text: string) => Promise<Said>;

  before(async function () {
    const missing = await exec('python3', ['-c', 'import cryptography']).then(
      () => false,
      () => true,
    );
    if (!process.env['CI'] && missing) {
      process.stderr.write('LEFT OUT: no Python with cryptography here\n');
      this.skip();
    }
    const child = spawn('python3', ['-c', DRIVER, 'docs/verify-claim.py', log.keys.vkey], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    python = child;
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    ask = async (text) => {
      child.stdin.write(`${text}\n`);
      const { value, done } = await answers.next();
      assert.notEqual(done, true, 'the Python program has ended');
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

  it('in whatever headers they have', async () => {
    const counts: Record<string, number> = { ok: 0, void: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(spelled, { minLength: TOGETHER, maxLength: TOGETHER, size: 'max' }), async (texts) => {
        const bundle = { ...log.bundle(plainEnvelope, INDEX, 11, 23), co_signatures: texts.map(kept) };
        const file = JSON.stringify(bundle);
        const [[code, lines], [codeInPython, linesInPython]] = [inTypeScript(file), await ask(file)];
        assert.deepEqual([code, codeInPython], [0, 0], 'a co-signature never decides the claim');
        for (const [at, text] of texts.entries()) {
          const said = [byService(text), lines[at], linesInPython[at]];
          assert.equal(new Set(said).size, 1, `service, TypeScript, Python: ${said.join()} on ${text}`);
          counts[said[0] ?? ''] = (counts[said[0] ?? ''] ?? 0) + 1;
        }
      }),
      { seed: SEED, numRuns: HEADERS / TOGETHER },
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
          const bundle = { ...log.bundle(plainEnvelope, INDEX, 11, 23), co_signatures: list };
          const file = JSON.stringify(bundle);
          const said = inTypeScript(file);
          assert.deepEqual(await ask(file), said, file.slice(file.indexOf('"co_signatures"')));
          assert.equal(said[0], 0, 'a co-signature never decides the claim');
        },
      ),
      { seed: SEED, numRuns: BUNDLES },
    );
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
        fc.option(fc.tuple(fc.nat(30), fc.nat(60), fc.constantFrom('again', 'more', 'spelled'))),
        async (changes, inText) => {
          const changed = changes.reduce<unknown>(
            (value, [path, replacement]) => withChange(value, path, replacement),
            log.bundle(plainEnvelope, INDEX, 11, 23),
          );
          const file = bentText(JSON.stringify(changed), inText);
          const [code] = inTypeScript(file);
          const [codeInPython] = await ask(file);
          if (code !== codeInPython)
            assert.deepEqual([code, codeInPython, leftToTypeScript(file)], [1, codeInPython, true], file);
          counts[code] = (counts[code] ?? 0) + 1;
        },
      ),
      { seed: SEED, numRuns: BUNDLES },
    );
    assert.ok(Math.min(counts[0] ?? 0, counts[1] ?? 0) > BUNDLES / 50, JSON.stringify(counts));
  });
});

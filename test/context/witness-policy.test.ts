import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { parseWitnessPolicy, PolicyFault } from '../../src/context/witness-policy.ts';
import { parseVkey, SIGNATURE_TYPE, vkeyOf, type SignatureType } from '../../src/fields/verifier-key.ts';

const newVkey = (name: string, type: SignatureType = SIGNATURE_TYPE.ed25519Cosignature): string =>
  vkeyOf(name, generateKeyPairSync('ed25519').publicKey, type);

const log = newVkey('log.example', SIGNATURE_TYPE.ed25519);
const names = ['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3'] as const;
type Name = (typeof names)[number];
const vkeys = Object.fromEntries(names.map((name) => [name, newVkey(`${name}.example`)])) as Record<Name, string>;
const lines = names.map((name) => `witness ${name} ${vkeys[name]}`);

/** The example of c2sp.org/tlog-policy. */
const EXAMPLE = `
log ${log}

${lines.slice(0, 3).join('\n')}
group X-witnesses 2 X1 X2 X3

${lines.slice(3).join('\n')}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

const isMet = (policy: string, ...by: Name[]): boolean =>
  parseWitnessPolicy(policy).isMetBy(by.map((name) => parseVkey(vkeys[name])));

describe('parseWitnessPolicy', () => {
  it('counts witnesses and groups as the example of the specification says', () => {
    assert.equal(isMet(EXAMPLE, 'X1', 'X3', 'Y2'), true);
    assert.equal(isMet(EXAMPLE, 'X1', 'X2', 'X3'), false);
    assert.equal(isMet(EXAMPLE, 'X1', 'Y1', 'Y2', 'Y3'), false);
    assert.equal(isMet(EXAMPLE), false);
    assert.equal(isMet(EXAMPLE, ...names), true);
  });

  it('takes one witness, and none, as a quorum', () => {
    assert.equal(isMet(`${lines[0]}\nquorum X1\n`, 'X1'), true);
    assert.equal(isMet(`${lines[0]}\nquorum X1\n`, 'X2'), false);
    assert.equal(isMet('quorum none\n'), true);
  });

  it('reads addresses, comments, tabs and empty lines, in any order that defines before it names', () => {
    const policy = parseWitnessPolicy(
      `# of ours\n\t quorum\tnone \n\n  witness a\t${vkeys.X1} https://w.example/prefix/ \nwitness b ${vkeys.X2}`,
    );
    assert.deepEqual(
      policy.witnesses.map(({ name, url }) => [name, url]),
      [
        ['a', 'https://w.example/prefix'],
        ['b', null],
      ],
    );
  });

  it('knows a key by itself, no matter which name it has', () => {
    const { publicKey } = parseVkey(vkeys.X1);
    const renamed = vkeyOf('other.example', publicKey, SIGNATURE_TYPE.ed25519Cosignature);
    assert.throws(
      () => parseWitnessPolicy(`${lines[0]}\nwitness again ${renamed}\nquorum none\n`),
      /key of a witness above/,
    );
  });

  it('refuses what is no policy, and names the line', () => {
    const wrong: [string, RegExp][] = [
      ['', /no line `quorum`/],
      [lines.join('\n'), /no line `quorum`/],
      ['quorum none\nquorum none\n', /Line 2 is a second quorum/],
      ['quorum X1\n', /Line 1 names X1/],
      [`${lines[0]}\n${lines[0]}\nquorum none\n`, /Line 2 has the key of a witness above/],
      [`${lines[0]}\nwitness X1 ${vkeys.X2}\nquorum none\n`, /Line 2 defines X1/],
      [`witness none ${vkeys.X1}\nquorum none\n`, /Line 1 defines none/],
      [`log ${log}\nlog ${log}\nquorum none\n`, /Line 2 has the key of a log above/],
      [`witness a ${log}\nquorum none\n`, /makes no cosignatures/],
      [`witness a ${vkeys.X1.slice(0, -4)}\nquorum none\n`, /faulty key/],
      [`witness a ${vkeys.X1} no-address\nquorum none\n`, /address/],
      [`${lines[0]}\ngroup g 2 X1\nquorum g\n`, /needs 2 of 1/],
      [`${lines[0]}\ngroup g 0 X1\nquorum g\n`, /needs 0 of 1/],
      [`${lines[0]}\ngroup g some X1\nquorum g\n`, /needs some of 1/],
      [`${lines[0]}\ngroup g any X2\nquorum g\n`, /names X2/],
      [`${lines[0]}\ngroup g any none\nquorum g\n`, /names none/],
      [`${lines[0]}\ngroup g any X1\ngroup h any X1\nquorum h\n`, /X1, which is a member already/],
      [`${lines[0]}\ngroup g any g\nquorum g\n`, /names g/],
      [`group g any\nquorum none\n`, /no log, witness, group or quorum/],
      ['friend a\nquorum none\n', /Line 1 is no log/],
      ['quorum none\r\n', /control characters/],
    ];
    for (const [policy, why] of wrong) {
      assert.throws(
        () => parseWitnessPolicy(policy),
        (error) => error instanceof PolicyFault && why.test(error.message),
        policy,
      );
    }
  });
});

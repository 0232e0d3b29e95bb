import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifyBundle } from '../../scripts/verify/checks.ts';
import { parseJson, type JsonValue } from '../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../scripts/verify/keys.ts';
import { parsePolicy } from '../../scripts/verify/policy.ts';
import { eventually } from '../support/eventually.ts';
import { buildAgent, buildOperator } from '../support/factories.ts';
import { blockOf, blocksOf, paste, PATIENCE_MS, ROOT } from '../support/pasted.ts';
import { anonymous, assertStatus, service, type Requester } from '../support/service.ts';
import { WITNESS, witnessVkeys } from '../support/witnesses.ts';
import { signatureLine } from './log.ts';
import { envelopeOf, signal, submit } from '../claims/support.ts';

const run = promisify(execFile);

/** Runs `driver` with the programs of the page. @returns what it prints, as JSON */
async function runProgram<Printed>({ key }: Requester, driver: string, ...args: string[]): Promise<Printed> {
  const programs = [await blockOf('docs/claims.md', 'typescript'), await blockOf('docs/claims.md', 'typescript: keys')];
  const { stdout } = await run(
    process.execPath,
    [
      '--input-type=module-typescript',
      '--no-warnings',
      '-e',
      `${programs.map(({ code }) => code).join('\n')}\n${driver}`,
      ...args,
    ],
    { cwd: ROOT, env: { ...process.env, CARNET: service().baseUrl, CARNET_KEY: key ?? '' }, timeout: 100_000 },
  );
  return JSON.parse(stdout) as Printed;
}

/** The text of the bundle, once the claim is in the log. */
const bundleOf = (operator: Requester, id: string): Promise<string> =>
  eventually('the bundle', async () => {
    const { status, text } = await operator.get(`/v1/claims/${id}/bundle`);
    return status === 200 && text;
  });

describe('docs/claims.md', function () {
  this.timeout(PATIENCE_MS);

  it('has blocks that work when they are pasted, from a claim to its bundle, its forgery and the monitor', async () => {
    const blocks = await blocksOf('docs/claims.md', 'claims');
    assert.equal(blocks.length, 5, 'the blocks are marked');
    const printed = (await paste(blocks)).join('\n');
    assert.match(printed, /^sha256:[0-9a-f]{64}\ncarnet\.log\/[^+]+\+[0-9a-f]{8}\+/);
    assert.match(printed, /^VERIFIED {2}claim pc_\w+ \(sha256:[0-9a-f]{64}\): 12 checks hold, 2 were not made$/m);
    assert.match(printed, /^NOT VERIFIED .*: digest, inclusion, cose receipt, tlog proof, newest\nexit code 1$/m);
    assert.match(
      printed,
      /: first look at \d+ entries, .*; signed by the key that you gave\n.*: consistent from \d+ to \d+ entries/,
    );
  });

  it('makes a key, registers it, and co-signs with its programs, and the signature is found in the bundle', async () => {
    const operator = await buildOperator();
    for (const filling of [0, 300, 70_000]) {
      const { receipt: _receipt, ...claim } = envelopeOf(operator, {
        claim_type: 'detector_signal',
        payload: signal({ metadata: { filling: 'x'.repeat(filling) } }),
      });
      const driver = `
        const { key, kid, jwk } = newKey();
        await registerForOperator(jwk);
        const { id } = await submit(JSON.parse(process.argv[1]), key, kid, 'operator_attestation');
        console.log(JSON.stringify({ id, kid }));`;
      const { id, kid } = await runProgram<{ id: string; kid: string }>(operator, driver, JSON.stringify(claim));
      const text = await bundleOf(operator, id);
      const bundle = JSON.parse(text) as { log: { vkey: string } };
      const logs = [parseVerifierKey(bundle.log.vkey)];
      const trust = { logs, policy: null, older: null, consistency: null };
      const { findings, status } = verifyBundle(parseJson(text), trust);
      assert.equal(status, 'verified', JSON.stringify(findings, null, 2));
      assert.match(text, /"verified":true/);
      assert.deepEqual(
        findings.filter(({ check }) => check === 'co-signature').map(({ text: found }) => found),
        [`operator_attestation ${kid}: signed, by the key of this thumbprint`],
      );
    }
  });

  it('adds a co-signature of an agent later, and once more when its key is registered', async () => {
    const operator = await buildOperator();
    const agent = await buildAgent(operator);
    const { receipt: _receipt, ...claim } = envelopeOf(operator, {
      claim_type: 'detector_signal',
      payload: signal({ agent_id: agent.id }),
    });
    const { id } = assertStatus(await operator.post<{ id: string }>('/v1/claims', { ...claim, receipt: null }), 201);
    const driver = `
      const [, claim, id, agent] = process.argv;
      const { key, kid, jwk } = newKey();
      const add = () => addLater(id, JSON.parse(claim), key, kid, 'agent_self');
      const before = await add();
      await registerForAgent(agent, jwk);
      console.log(JSON.stringify([before, await add()]));`;
    const added = await runProgram<{ verified: boolean; warnings: string[] }[]>(
      operator,
      driver,
      JSON.stringify(claim),
      id,
      agent.id,
    );
    assert.deepEqual(
      added.map(({ verified, warnings }) => [verified, warnings.length]),
      [
        [false, 1],
        [true, 0],
      ],
    );
  });

  it('has a program of Python that verifies a bundle of the service', async function () {
    const canRun = await run('python3', ['-c', 'import cryptography']).then(
      () => true,
      () => false,
    );
    if (!process.env['CI'] && !canRun) {
      process.stderr.write('LEFT OUT: no Python with cryptography here\n');
      this.skip();
    }
    const operator = await buildOperator();
    const { id } = await submit(operator, { payload: { ö: [1e21, 0.1, -0, 'é\u2028'] } });
    const text = await bundleOf(operator, id);
    const FILES = await mkdtemp(join(tmpdir(), 'carnet-bundle-'));
    try {
      await writeFile(join(FILES, 'bundle.json'), text);
      await writeFile(join(FILES, 'log.vkey'), (JSON.parse(text) as { log: { vkey: string } }).log.vkey);
      const said = await paste([await blockOf('docs/claims.md', 'python')], { env: { FILES } });
      const [coSignatures, verdict] = said;
      assert(coSignatures?.startsWith('co-signatures: - 0: '), said.join('\n'));
      assert(verdict?.startsWith(`VERIFIED ${id} `), said.join('\n'));
    } finally {
      await rm(FILES, { recursive: true });
    }
  });

  it('tells how to hold a bundle against an older checkpoint, with a proof of the service', async () => {
    const operator = await buildOperator();
    const first = await submit(operator);
    await bundleOf(operator, first.id);
    const { text: older } = await anonymous().get('/v1/log/checkpoint');
    const [, size] = older.split('\n');
    const { id } = await submit(operator);
    const bundle = parseJson(await bundleOf(operator, id));
    const { log, latest } = bundle as unknown as { log: { vkey: string }; latest: { checkpoint: string } };
    const [, newest] = latest.checkpoint.split('\n');
    const proof = await anonymous().get(`/v1/log/proofs/consistency?from=${size}&to=${newest}`);
    const trust = { logs: [parseVerifierKey(log.vkey)], policy: null, older, consistency: null };
    const judged = (consistency: JsonValue | null) =>
      verifyBundle(bundle, { ...trust, consistency }).findings.find(({ check }) => check === 'older checkpoint');
    assert.deepEqual(judged(parseJson(proof.text)), {
      check: 'older checkpoint',
      outcome: 'ok',
      text: `the tree of ${newest} begins with that of ${size}`,
    });
    assert.match(judged(null)?.text ?? '', new RegExp(`/v1/log/proofs/consistency\\?from=${size}&to=${newest}$`));
  });

  it('has a policy of witnesses that a bundle meets once they have signed, by Ed25519 and by ML-DSA-44', async () => {
    const operator = await buildOperator();
    const { id } = await submit(operator);
    await bundleOf(operator, id);
    const policy = (quorum: string): string =>
      `witness ed ${witnessVkeys.ed25519}\nwitness ml ${witnessVkeys.mlDsa44}\ngroup both all ed ml\nquorum ${quorum}\n`;
    const judged = async (quorum: string): Promise<string> => {
      const bundle = parseJson(await bundleOf(operator, id));
      const { log } = bundle as unknown as { log: { vkey: string } };
      const logs = [parseVerifierKey(log.vkey)];
      const { findings } = verifyBundle(bundle, {
        logs,
        policy: parsePolicy(policy(quorum)),
        older: null,
        consistency: null,
      });
      assert.deepEqual(
        findings.filter(({ check, outcome }) => outcome === 'failed' && check !== 'witnesses'),
        [],
      );
      const { outcome, text } = findings.find(({ check }) => check === 'witnesses') ?? assert.fail();
      return `${outcome}: ${text}`;
    };
    const { text: note } = await anonymous().get('/v1/log/checkpoint');
    const signed = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const lineOf = (type: number, privateKey: KeyObject, vkey: string): string =>
      signatureLine(signed, { name: WITNESS.name, type, privateKey, vkey }, Math.floor(Date.now() / 1_000));
    assertStatus(
      await anonymous().post('/v1/log/witness-signatures', note + lineOf(4, WITNESS.ed25519, witnessVkeys.ed25519)),
      200,
    );
    assert.match(await judged('ed'), new RegExp(`^ok: the quorum ed is met for \\d+ entries: ${WITNESS.name}`));
    assertStatus(
      await anonymous().post('/v1/log/witness-signatures', note + lineOf(6, WITNESS.mlDsa44, witnessVkeys.mlDsa44)),
      200,
    );
    assert.match(await judged('both'), /^ok: the quorum both is met/);
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import fc from 'fast-check';
import { verifyBundle } from '../../../scripts/verify/checks.ts';
import { Fault } from '../../../scripts/verify/fault.ts';
import { parseJson } from '../../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../../scripts/verify/keys.ts';
import { roundsOf } from '../../support/cases.ts';
import { instead, withChange } from '../../verify/changed-bundles.ts';
import { leafOf, newKeys, noteOf, plainEnvelope, signedBytes, TestLog, type TestBundle } from '../../verify/log.ts';

// The page of a claim has a verifier of its own, since that of the command line cannot run in a browser: it hashes and verifies synchronously,
// compiles schemas into functions, which the policy of pages forbids, and its packages need a bundler (decision F5). All that this one takes the
// other takes too.

const script = readFileSync(new URL('../../../src/claims/pages/assets/verify.js', import.meta.url), 'utf8');
const INDEX = 5;
const log = TestLog.around(plainEnvelope, { index: INDEX, total: 23 });
const honest = (): TestBundle => structuredClone(log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23 }));

/** The line that the page ends with, for a bundle that the service answers. */
async function pageSays(bundle: unknown): Promise<string> {
  const lines: { textContent: string }[] = [];
  let click = (): Promise<void> => assert.fail('the button does nothing');
  const button = {
    dataset: { verify: 'pc_1' },
    addEventListener: (_: string, listener: typeof click) => void (click = listener),
  };
  const list = { append: (line: { textContent: string }) => void lines.push(line), replaceChildren: () => {} };
  const page = createContext({
    document: {
      querySelector: (selector: string) => (selector === '[data-verify]' ? button : list),
      createElement: () => ({ textContent: '' }),
    },
    fetch: async (path: string) => new Response(path.endsWith('/bundle') ? JSON.stringify(bundle) : log.keys.vkey),
    crypto,
    Blob,
    TextEncoder,
    atob,
    Uint8Array,
  });
  runInContext(script, page);
  await click();
  return lines.at(-1)?.textContent ?? '';
}

/** Whether the offline verifier takes the same parts: the digest, the place, and the way to the newest head. */
function isTakenOffline(bundle: unknown): boolean {
  const trust = { logs: [parseVerifierKey(log.keys.vkey)], policy: null, older: null, consistency: null };
  try {
    const { findings } = verifyBundle(parseJson(JSON.stringify(bundle)), trust);
    return findings.every(
      ({ check, outcome }) => !['digest', 'receipt', 'newest'].includes(check) || outcome !== 'failed',
    );
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return false;
  }
}

type Part = 'envelope' | 'digest' | 'checkpoint' | 'inclusion';

/** A bundle that differs in one of the parts that the page reads. */
function withPart(part: Part, change: (value: unknown) => unknown): unknown {
  const bundle = honest();
  if (part === 'envelope' || part === 'digest') return { ...bundle, [part]: change(bundle[part]) };
  return { ...bundle, latest: { ...bundle.latest, [part]: change(bundle.latest[part]) } };
}

const changes: Readonly<Record<string, (bundle: TestBundle) => unknown>> = {
  'another version': (bundle) => (bundle.bundle_version = 2),
  'another payload': ({ envelope }) => (envelope['payload'] = { approved: false }),
  'another digest': (bundle) => (bundle.digest = `sha256:${'0'.repeat(64)}`),
  'another hash of the proof': ({ latest }) => (latest.inclusion[0] = '0'.repeat(64)),
  'a hash more': ({ latest }) => latest.inclusion.push('0'.repeat(64)),
  'a hash less': ({ latest }) => latest.inclusion.pop(),
  'another place': ({ receipt }) => (receipt.proof.log_index = INDEX + 1),
  'another root': ({ latest }) =>
    (latest.checkpoint = latest.checkpoint.replace(/\n\S{43}=\n/, `\n${'A'.repeat(43)}=\n`)),
  'a head of another key': ({ latest }) => (latest.checkpoint = noteOf(log.text(23), newKeys(log.keys.name))),
  'a head of another log': ({ latest }) =>
    (latest.checkpoint = noteOf(log.text(23).replace(log.keys.name, 'x'), log.keys)),
  'no signature': ({ latest }) => (latest.checkpoint = `${log.text(23)}\n`),
};

describe('The verifier of the page of a claim', () => {
  it('takes what the log has, and an entry whose payload was erased', async () => {
    assert.equal(await pageSays(honest()), 'Verified in this browser.');
    assert(isTakenOffline(honest()));
    const { payload: _payload, ...rest } = plainEnvelope;
    const erased = {
      ...honest(),
      envelope: rest,
      erased: true,
      leaf_hash: leafOf(signedBytes(plainEnvelope)).toString('hex'),
    };
    assert.equal(await pageSays(erased), 'Verified in this browser.');
    assert(isTakenOffline(erased));
  });

  for (const [title, change] of Object.entries(changes))
    it(`refuses ${title}, as the one of the command line does`, async () => {
      const bundle = honest();
      change(bundle);
      assert.match(await pageSays(bundle), /^NOT VERIFIED: /);
      assert.equal(isTakenOffline(bundle), false);
    });

  it('takes nothing that the one of the command line refuses', async () => {
    // The page reads of the other members the place and the version alone.
    const part = fc.constantFrom<Part>('envelope', 'digest', 'checkpoint', 'inclusion');
    const path = fc.array(fc.nat(20), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(part, path, instead, async (name, place, replacement) => {
        const bundle = withPart(name, (value) => withChange(value, place, replacement));
        if ((await pageSays(bundle)) === 'Verified in this browser.') assert(isTakenOffline(bundle));
      }),
      { numRuns: roundsOf(2_000, 100) },
    );
  });
});

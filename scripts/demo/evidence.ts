import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printStep, show, stop, type DemoClient } from './client.ts';

const VERIFIER = fileURLToPath(new URL('../verify/main.ts', import.meta.url));

/** The claims of the service about the invocation are fetched, each claim in one file, and verified as a stranger would, offline. */
export async function verifyEvidence(
  { until }: DemoClient,
  key: string,
  { invocationId, dataDir }: { invocationId: string; dataDir: string },
): Promise<void> {
  printStep('The service has stated how the invocation went, in claims that stand in its log.');
  const { claims } = await until(
    `/v1/claims?subject=carnet://invocation/${invocationId}`,
    key,
    ({ claims: found }) => (found as Claim[]).length > 1,
  );
  const folder = join(dataDir, 'demo');
  mkdirSync(folder, { recursive: true });
  const vkey = join(folder, 'log.vkey');
  for (const { id, envelope } of claims as Claim[]) {
    show(`${id}: ${envelope.payload.status}`);
    const bundle = await until(`/v1/claims/${id}/bundle`, key, ({ tlog_proof: proof }) => proof !== undefined);
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(bundle));
    writeFileSync(vkey, (bundle.log as { vkey: string }).vkey);
  }
  printStep('Their bundles prove that without the service. They stay there, to be verified again:');
  for (const { id } of claims as Claim[]) {
    const bundle = join(folder, `${id}.json`);
    show(`npm run verify -- ${bundle} --key ${vkey}`);
    verify(bundle, vkey);
  }
}

interface Claim {
  id: string;
  envelope: { payload: { status: string } };
}

function verify(bundle: string, key: string): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [VERIFIER, bundle, '--key', key], {
    encoding: 'utf8',
  });
  if (status !== 0) stop(`The bundle does not verify:\n${stdout}${stderr}`);
  show(stdout.trimEnd().split('\n').at(-1) ?? '');
}

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildScene, type Scene } from '../test/dashboard/browser/scene.ts';
import { ChromiumVisitor } from '../test/support/chromium-visitor.ts';
import { chromium, closeChromium } from '../test/support/chromium.ts';
import { removeDataDir } from '../test/support/data-dir.ts';
import { startInstance } from '../test/support/instance.ts';
import { signIn } from '../test/support/people.ts';
import { startProgram } from '../test/support/process.ts';
import { requester } from '../test/support/service.ts';

/**
 * Makes the pictures that README and docs show: `npm run screenshots`. It starts an instance of its own, runs the demo on it, adds what waits
 * for a person, and takes a picture of each page of the table in `docs/pictures`.
 */

interface Picture {
  name: string;
  path: (scene: Scene) => string;
  /** Pixels; absent: those of a desk. */
  width?: number;
  /** Absent: light. */
  dark?: true;
}

/** The navigation stands beside the page from 961 on. */
const DESK = 1_040;
const PHONE = 390;
const HEIGHT = 640;

const pictures: readonly Picture[] = [
  { name: 'start', path: () => '/' },
  { name: 'home', path: () => '/dashboard' },
  { name: 'home-dark', path: () => '/dashboard', dark: true },
  { name: 'home-phone', path: () => '/dashboard', width: PHONE },
  { name: 'wallet', path: () => '/dashboard/wallet' },
  { name: 'market', path: () => '/dashboard/market' },
  { name: 'invocation', path: ({ invocationId }) => `/dashboard/invocations/${invocationId}` },
  { name: 'claim', path: ({ claimId }) => `/dashboard/claims/${claimId}` },
  { name: 'passports', path: () => '/dashboard/passports' },
  { name: 'deliveries', path: () => '/dashboard/deliveries' },
  { name: 'approval', path: ({ approvalId }) => `/dashboard/approvals/${approvalId}` },
  { name: 'review', path: ({ reviewId }) => `/dashboard/reviews/${reviewId}` },
  { name: 'review-phone', path: ({ reviewId }) => `/dashboard/reviews/${reviewId}`, width: PHONE },
];

const folder = join(import.meta.dirname, '../docs/pictures');

/** GitHub and npm show a page with such pictures without delay. */
const MAX_BYTES = 100_000;

async function takePictures(cookie: string, scene: Scene): Promise<void> {
  const browser = await chromium();
  if (browser === null) throw new Error('Pictures need a Chromium.');
  for (const { name, path, width = DESK, dark } of pictures) {
    const scheme = dark === true ? 'dark' : 'light';
    const visitor = await ChromiumVisitor.arrive(browser, { cookie, scripts: true, hand: 'mouse', width, scheme });
    await visitor.open(path(scene));
    const file = join(folder, `${name}.png`);
    await visitor.page.screenshot({ path: file, clip: { x: 0, y: 0, width, height: HEIGHT } });
    await visitor.close();
    const { length } = await readFile(file);
    if (length > MAX_BYTES) throw new Error(`${file} has ${length} bytes, more than ${MAX_BYTES}.`);
    console.log(`carnet: ${file}, ${Math.round(length / 1_000)} kB`);
  }
}

await mkdir(folder, { recursive: true });
console.log('carnet: starting an instance for the pictures, and the demo on it; up to a minute');
const instance = await startInstance();
try {
  const { baseUrl, dataDir, databaseUrl, credentials } = instance;
  // The helpers of the tests speak to the instance that this names.
  process.env.CARNET_TEST_INSTANCE = JSON.stringify({ baseUrl, dataDir, databaseUrl, credentials });
  const demo = startProgram('scripts/demo.ts', { DATA_DIR: dataDir });
  if ((await demo.ended) !== 0) throw new Error(`The demo failed. It printed:\n${demo.output()}`);
  const { operator_id: operatorId, email } = credentials;
  const owner = await signIn(email);
  const scene = await buildScene(
    { ...requester(credentials.api_key, baseUrl), operatorId, name: 'demo', email },
    owner,
  );
  await takePictures(owner.cookie, scene);
} finally {
  await closeChromium();
  await instance.stop();
  await removeDataDir(instance.dataDir);
}

import { closeChromium } from './chromium.ts';
import { SharedInstance, sharedInstanceWhereWanted } from './shared-instance.ts';

let shared: SharedInstance | undefined;

export async function mochaGlobalSetup(): Promise<void> {
  shared = await SharedInstance.open();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await shared?.close(assertWhatIsLeft);
}

export const mochaHooks = {
  /** Runs before the tests of a file: those that load `service.ts` have the instance. */
  async beforeAll(this: Mocha.Context): Promise<void> {
    this.timeout(0); // startInstance has a limit of its own
    await sharedInstanceWhereWanted();
  },
  /** Runs after the tests of a file. */
  afterAll: closeChromium,
};

/** Checks all that the tests have left, whichever ran. Loaded here, since each process of a parallel run loads this file. */
async function assertWhatIsLeft(): Promise<void> {
  const [{ assertEveryClaim }, { database }] = await Promise.all([
    import('../claims/every-claim.ts'),
    import('./service.ts'),
  ]);
  await assertEveryClaim(await database());
}

// Run as a process of its own, so that a download that hangs can be ended: lets the Temporal SDK fetch its development
// server into the folder given, and starts and stops it once.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [, , downloadDir = ''] = process.argv;
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir } },
});
await environment.teardown();

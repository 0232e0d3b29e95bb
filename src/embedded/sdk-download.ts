// Lets the Temporal SDK fetch its development server into the folder given, and starts and stops that once. It runs as a
// process of its own, so that a download that hangs can be stopped.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [, , downloadDir = ''] = process.argv;
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir } },
});
await environment.teardown();

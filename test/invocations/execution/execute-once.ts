import pino from 'pino';
import { createModelCaller } from '../../../activities/models/index.ts';
import { createScriptRunner } from '../../../activities/sandbox/index.ts';
import { completeConfig, readSettings } from '../../../src/context/config.ts';
import { advanceInvocation, executeSealedStep } from '../../../src/invocations/index.ts';
import { openContext } from '../../../src/process/open-context.ts';

/* A process that does what the life of an invocation does until it waits or ends, for tests that kill it: `node execute-once.ts <id>`. It prints the status. */

const id = process.argv[2] ?? '';
const log = pino({ level: 'silent' });
const context = await openContext(completeConfig(readSettings(process.env), { localProviders: true }), log, {
  messagesCommitted: () => {},
  begin: async () => {},
});
const [scripts, models] = [createScriptRunner({ log }), createModelCaller(context)];
let step = await advanceInvocation(context, id);
while (step.stepsDone !== null) {
  await executeSealedStep({ ...context, scripts, models }, id);
  step = await advanceInvocation(context, id);
}
process.stdout.write(step.status);
await scripts.close();
await context.close();

import pino from 'pino';
import { createModelCaller } from '../../../activities/models/index.ts';
import { completeConfig, readSettings } from '../../../src/context/config.ts';
import { classifyExcerpt, type Excerpt } from '../../../src/inbound/classification/index.ts';
import { openContext } from '../../../src/process/open-context.ts';

/* A process that classifies one event, for tests that kill it: `node classify-once.ts <excerpt as JSON>`. It prints what came of it. */

const excerpt = JSON.parse(process.argv[2] ?? '') as Excerpt;
const context = await openContext(
  completeConfig(readSettings(process.env), { localProviders: true }),
  pino({ level: 'silent' }),
  { messagesCommitted: () => {}, begin: async () => {} },
);
const outcome = await classifyExcerpt({ ...context, models: createModelCaller(context) }, excerpt);
process.stdout.write(JSON.stringify(outcome));
await context.close();

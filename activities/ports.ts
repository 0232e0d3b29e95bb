import type { Mailer } from '../src/mail/index.ts';
import type { Texter } from '../src/notifications/index.ts';
import type { Context } from '../src/context/context.ts';
import type { ScriptRunner } from '../src/sandbox/script-runner.ts';
import type { ModelCaller } from '../src/models/model-caller.ts';
import { createSmtpMailer } from './mail/smtp.ts';
import { createModelCaller } from './models/index.ts';
import { createScanner, type Scanner } from '../src/inbound/index.ts';
import { createScriptRunner } from './sandbox/index.ts';
import { createTexter } from './sms/index.ts';
import { tracedCalls } from '../src/tracing/tracing.ts';

/** Steps reach these outside of Carnet. */
export interface Ports {
  mailer: Mailer;
  texter: Texter;
  scanner: Scanner;
  models: ModelCaller;
  scripts: ScriptRunner;
}

/** The ports that the settings name; one set a worker, since the SDK of a provider keeps connections open. */
export const createPorts = (context: Context): Ports => ({
  mailer: tracedCalls('mail', createSmtpMailer(context)),
  texter: tracedCalls('sms', createTexter(context)),
  scanner: createScanner(),
  models: tracedCalls('model', createModelCaller(context)),
  scripts: createScriptRunner(context),
});

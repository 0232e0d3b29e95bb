import { serviceCaller } from '../../src/commands/caller.ts';
import { runCommand } from '../../src/commands/run.ts';
import type { Context } from '../../src/context/context.ts';
import { writeMail } from '../../src/mail/index.ts';

/** A mail in a command of its own. @returns its id */
export async function writeTestMail(
  context: Context,
  overrides: { to?: string; subject?: string; text?: string; seconds?: number; unsubscribe?: string },
): Promise<string> {
  const call = { caller: serviceCaller, operation: 'test', idempotency: null, requestId: 'test', request: null };
  const mail = { to: 'somebody@example.test', subject: 'A word', text: 'Hello.\n', seconds: 600, ...overrides };
  const { body } = await runCommand(context, call, async (unit) => ({
    status: 200,
    body: await writeMail(context, unit, mail),
  }));
  return body;
}

import type { CommandEffects } from '../commands/run.ts';
import { invocationOf, type InvocationAnswer } from './answer.ts';

/** What waits for new work of a provider (decisions K55). */
export const pendingOf = (providerOperatorId: string): string => `pending:${providerOperatorId}`;

/** A command on a row that exists: whoever waits for it looks again. */
export const rowChanged =
  (id: string) =>
  (answer: InvocationAnswer): CommandEffects => ({
    changed: answer.replayed ? [] : [id],
    messages: answer.messages,
  });

/** New work: the provider's long polls look again. */
export const workArrived = (answer: InvocationAnswer): CommandEffects => ({
  changed: answer.replayed ? [] : [pendingOf(invocationOf(answer).provider_operator_id)],
  messages: answer.messages,
});

import type { CommandEffects } from '../commands/unit.ts';
import { invocationOf, type InvocationAnswer } from './answer.ts';

/** The name of the row event that announces new work of a provider, for those who wait on its pending list. */
export const pendingOf = (providerOperatorId: string): string => `pending:${providerOperatorId}`;

/** After a command on an existing invocation: everybody who waits on it reads it again. */
export const rowChanged =
  (id: string) =>
  (answer: InvocationAnswer): CommandEffects => ({
    changed: answer.replayed ? [] : [id],
    messages: answer.messages,
  });

/** After a new invocation: everybody who waits on the provider's pending list reads it again. */
export const workArrived = (answer: InvocationAnswer): CommandEffects => ({
  changed: answer.replayed ? [] : [pendingOf(invocationOf(answer).provider_operator_id)],
  messages: answer.messages,
});

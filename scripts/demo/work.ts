import type { Market } from './market.ts';
import { expect, show, printStep, type DemoClient } from './client.ts';
import { showWallet } from './wallet.ts';

/** A paid invocation from the hold of its price to the output. @returns its id */
export async function invokeAndComplete(
  client: DemoClient,
  { skillId, newcomerKey }: Market,
  publisherKey: string,
): Promise<string> {
  const { call } = client;
  printStep('Now the newcomer invokes: the price is held, not spent.');
  const invocation = expect(
    await call('POST', `/v1/skills/${skillId}/invoke`, { key: newcomerKey, body: { input: { text: 'hello, world' } } }),
    201,
  );
  show(`${invocation.id} is ${invocation.status} until ${invocation.expires_at}.`);
  await showWallet(client, newcomerKey);

  printStep('The provider claims it and completes it; the hold is captured and the publisher earns it.');
  const claimed = expect(
    await call('POST', `/v1/skills/invocations/${invocation.id}/claim`, { key: publisherKey }),
    200,
  );
  show(`claimed: ${claimed.status}, attempt ${claimed.attempt}.`);
  const output = { text: 'HELLO, WORLD' };
  const completed = expect(
    await call('POST', `/v1/skills/invocations/${invocation.id}/complete`, { key: publisherKey, body: { output } }),
    200,
  );
  show(`completed: ${completed.status} after ${completed.duration_ms} ms.`);

  printStep('The consumer reads the output; the wallet shows what it cost.');
  const result = expect(await call('GET', `/v1/skills/invocations/${invocation.id}`, { key: newcomerKey }), 200);
  show(`output ${JSON.stringify(result.output)}, SHA-256 ${String(result.output_hash).slice(0, 16)}…`);
  await showWallet(client, newcomerKey);
  return String(invocation.id);
}

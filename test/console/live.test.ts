import assert from 'node:assert/strict';
import { buildInvocation, buildOperator, buildSkill } from '../support/factories.ts';
import { buildPerson } from '../support/people.ts';
import { assertStatus, service } from '../support/service.ts';
import { browserOf } from '../support/web-browser.ts';

/** The events of a stream, as they come. */
async function* eventsOf(path: string, cookie: string, signal: AbortSignal): AsyncGenerator<string> {
  const answer = await fetch(`${service().baseUrl}${path}`, { headers: { cookie }, signal });
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  for await (const chunk of answer.body ?? []) yield Buffer.from(chunk).toString();
}

const streamOf = (html: string): string => (/data-stream="([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');

describe('Live updates', () => {
  it('tell an open page when what it shows has changed, and nobody else', async () => {
    const operator = await buildOperator();
    const { id: skillId } = await buildSkill(operator);
    const invocation = await buildInvocation(operator, skillId);
    const person = await buildPerson(operator);
    const page = await browserOf(person).open(`/dashboard/invocations/${invocation.id}`);
    const path = streamOf(page.html);
    const abort = new AbortController();
    const events = eventsOf(path, person.cookie, abort.signal);
    assert.match(String((await events.next()).value), /^retry: \d+/);
    assertStatus(await operator.post(`/v1/skills/invocations/${invocation.id}/claim`, {}), 200);
    assert.match(String((await events.next()).value), /data: changed/);
    abort.abort();

    const other = await buildPerson(await buildOperator());
    for (const [who, asked] of [
      [other.cookie, path], // the ids of another person’s page
      [person.cookie, path.replace(/ids=\w+/, 'ids=inv_01K9ZC4T0M3Q8V6W2X5Y7ZABCD')],
    ] as const) {
      const answer = await fetch(`${service().baseUrl}${asked}`, { headers: { cookie: who } });
      assert.equal(answer.status, 404);
      await answer.body?.cancel();
    }
    const stranger = await fetch(`${service().baseUrl}${path}`);
    assert.equal(stranger.status, 401);
  });

  it('tell of a change between the page and the opening of its stream', async () => {
    const operator = await buildOperator();
    const { id: skillId } = await buildSkill(operator);
    const invocation = await buildInvocation(operator, skillId);
    const person = await buildPerson(operator);
    const page = await browserOf(person).open(`/dashboard/invocations/${invocation.id}`);
    assertStatus(await operator.post(`/v1/skills/invocations/${invocation.id}/claim`, {}), 200);
    const abort = new AbortController();
    const events = eventsOf(streamOf(page.html), person.cookie, abort.signal);
    await events.next();
    assert.match(String((await events.next()).value), /data: changed/);
    abort.abort();
  });

  it('say in between that the stream is there, which the server would cut else', async () => {
    const person = await buildPerson(await buildOperator());
    const page = await browserOf(person).open('/dashboard/operator');
    const abort = new AbortController();
    const events = eventsOf(streamOf(page.html), person.cookie, abort.signal);
    await events.next();
    let said: string | void = '';
    // The operator was made a moment ago, which the stream may tell first.
    do said = (await events.next()).value;
    while (said === 'data: changed\n\n');
    assert.equal(said, ':\n\n');
    abort.abort();
  });
});

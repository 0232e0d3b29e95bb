import assert from 'node:assert/strict';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { wake } from '../../workflows/life.ts';
import { eventually } from '../support/eventually.ts';
import { INPUT, OUTPUT, startRig, type Rig } from './rig.ts';
import { runOf, type Run } from './runs.ts';

describe('The life of an invocation', () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
    await rig.startDelivery();
    await rig.startWorker();
  });
  after(() => rig.stop());

  const waiting = async (id: string) => {
    const run = runOf(rig, id);
    await run.showing(/^Waits for claim or completion until \d{4}-/);
    return run;
  };
  /** Moves the deadline into the past and wakes the life. */
  const passDeadline = async (id: string, column: 'expires_at' | 'lease_until') => {
    await rig.context.pool.query(sql.unsafe`
      update invocations set ${sql.identifier([column])} = clock_timestamp() - interval '1 second' where id = ${id}`);
    await runOf(rig, id).handle.signal(wake);
  };

  it('says what it is, whom it concerns and that it ended', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    const found = async (status: string): Promise<string[]> => {
      const ids: string[] = [];
      const row = await rig.context.pool.one(
        sql.unsafe`select skill_id, consumer_operator_id, provider_operator_id from invocations where id = ${id}`,
      );
      const { skill_id, consumer_operator_id, provider_operator_id } = row as Record<string, string>;
      const query = `SkillId = "${skill_id}" AND OperatorId = "${consumer_operator_id}" AND OperatorId = "${provider_operator_id}" AND LifeStatus = "${status}"`;
      for await (const { workflowId } of rig.temporal.client.workflow.list({ query })) ids.push(workflowId);
      return ids;
    };
    await eventually('the open life to be listed', async () => (await found('open')).includes(lifeId.invocation(id)));
    const { staticSummary, staticDetails } = await run.handle.describe().then(async (description) => ({
      staticSummary: await description.staticSummary(),
      staticDetails: await description.staticDetails(),
    }));
    assert.match(staticSummary ?? '', /^skill-\w+ 1\.0\.0 for op_/);
    assert.match(staticDetails ?? '', /price 7 cents/);
    await rig.claim(id);
    await rig.complete(id);
    await run.showing(/^Ended: completed\.$/);
    await eventually('the ended life to be listed', async () => (await found('ended')).includes(lifeId.invocation(id)));
  });

  it('expires the invocation at its deadline', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await passDeadline(id, 'expires_at');
    await run.showing(/^Ended: expired\.$/);
    assert.equal((await rig.row(id)).status, 'expired');
  });

  it('expires it by its own timer when nobody wakes it', async () => {
    const expired = async (seconds: number): Promise<Run> => {
      const run = runOf(rig, (await rig.invoke(seconds)).id);
      await run.showing(/^Ended: expired\.$/);
      // A life that begins after the deadline, as on a machine that is busy, needs no timer.
      return (await run.events()).includes('TimerStarted') ? run : expired(seconds * 4);
    };
    const run = await expired(2);
    const events = await run.events();
    assert(events.includes('TimerFired'));
    assert.equal(events.filter((name) => name === 'WorkflowExecutionSignaled').length, 1, 'that of the beginning');
    assert.equal((await rig.row(run.handle.workflowId.replace(/^invocation:/, ''))).status, 'expired');
  });

  it('gives up a claim whose lease lapsed, and says until when a lease holds', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await rig.claim(id, 3_600);
    await run.showing(/^Claimed \(attempt 1\)\. Waits for completion until \d{4}-.*expires at \d{4}-/);
    await passDeadline(id, 'lease_until');
    await run.showing(/^Waits for claim/);
    assert.equal((await rig.row(id)).status, 'pending');
    await rig.claim(id);
    await rig.complete(id);
    await run.ended();
  });

  it('is woken by a heartbeat that shortens the lease, and by no other', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await rig.claim(id, 600);
    await run.showing(/^Claimed/);
    const { lease_until: longer } = await rig.heartbeat(id, 3_600);
    assert.equal(await rig.messagesOf(id), 0);
    const { lease_until: shorter } = await rig.heartbeat(id, 60);
    assert(String(shorter) < String(longer));
    await run.showing(new RegExp(`Waits for completion until ${String(shorter)}`));
    await rig.complete(id);
    await run.ended();
  });

  it('claims and completes by signals', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await run.handle.signal('claim', { lease_seconds: 600 });
    await run.showing(/^Claimed/);
    await run.handle.signal('complete', { output: { text: 'by signal' } });
    await run.ended();
    const row = await rig.row(id);
    assert.equal(row.status, 'completed');
    assert.equal(row.output, '{"text":"by signal"}');
    const actors = await rig.context.pool.anyFirst(
      sql.unsafe`select actor from audit_events where target = ${id} order by id`,
    );
    assert.deepEqual(actors.slice(1), ['temporal-signal', 'temporal-signal']);
  });

  it('fails and cancels by signals', async () => {
    const failed = await rig.invoke();
    const run = await waiting(failed.id);
    await run.handle.signal('claim');
    await run.handle.signal('fail', { error: { code: 'NO_IDEA', message: 'It cannot be done.' } });
    await run.showing(/^Ended: failed\.$/);
    const cancelled = await rig.invoke();
    await (await waiting(cancelled.id)).handle.signal('cancel');
    await runOf(rig, cancelled.id).showing(/^Ended: failed\.$/);
    assert.equal((await rig.row(cancelled.id)).status, 'failed');
  });

  it('shows why it refused a signal, and goes on', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await run.handle.signal('complete', { output: { text: 'too early' } });
    await run.showing(/Refused signal complete: INVOCATION_NOT_PROCESSING\. /);
    await run.handle.signal('claim', { lease_seconds: 'long' });
    await run.showing(/Refused signal claim: VALIDATION_ERROR\. .*lease_seconds/s);
    await run.handle.signal('claim');
    await run.handle.signal('complete', { output: { text: 7 } });
    await run.showing(/Refused signal complete: OUTPUT_SCHEMA_MISMATCH\. /);
    await run.handle.signal('complete', { output: { text: 'x'.repeat(256 * 1024) } });
    await run.showing(/Refused signal complete: BODY_TOO_LARGE\. /);
    assert.equal((await rig.row(id)).status, 'processing');
    await run.handle.signal('complete', { output: { text: 'at last' } });
    await run.ended();
    assert.equal((await rig.row(id)).output, '{"text":"at last"}');
  });

  it('takes the first of two completions by signal, and shows why not the second', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await rig.claim(id);
    await Promise.all([
      run.handle.signal('complete', { output: { text: 'one' } }),
      run.handle.signal('complete', { output: { text: 'one' } }),
    ]);
    await run.ended();
    assert.equal((await rig.row(id)).output, '{"text":"one"}');
  });

  it('is not wedged by a signal that nobody can decode', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    const payload = { metadata: { encoding: Buffer.from('binary/unheard-of') }, data: Buffer.from([1, 2, 3]) };
    const { workflowService } = rig.temporal.client.connection;
    for (const signalName of ['complete', 'wake', 'nobody-knows-it']) {
      await workflowService.signalWorkflowExecution({
        namespace: rig.temporal.namespace,
        workflowExecution: { workflowId: lifeId.invocation(id) },
        signalName,
        input: { payloads: [payload] },
      });
    }
    await run.showing(/Refused signal complete: VALIDATION_ERROR\. The argument cannot be decoded/);
    await run.handle.signal('claim');
    await run.handle.signal('complete', { output: { text: 'decodable' } });
    await run.ended();
    assert.equal((await rig.row(id)).status, 'completed');
  });

  it('says which signals there are to whoever misspells one', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await run.handle.signal('complet', { output: { text: 'misspelt' } });
    await run.showing(/Refused signal complet: there is no such signal; there are claim, complete, fail, cancel\./);
    await run.handle.signal('cancel');
    await run.ended();
    assert.equal((await rig.row(id)).status, 'failed');
  });

  it('survives a request to cancel the run, and says what to do instead', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await run.handle.cancel();
    await run.showing(/Refused to cancel this run: signal `cancel` cancels the invocation/);
    await rig.claim(id);
    await rig.complete(id);
    await run.ended();
  });

  it('keeps input and output out of its history', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await run.handle.signal('claim');
    await eventually('the claim', async () => (await rig.row(id)).status === 'processing');
    await rig.complete(id);
    await run.ended();
    const text = await run.text();
    assert(text.includes('"status":"completed"'), 'the payloads are read');
    assert(!text.includes(INPUT) && !text.includes(OUTPUT));
  });

  it('keeps the output of a signal out of everything but that signal', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await rig.claim(id);
    await run.handle.signal('complete', { output: { text: OUTPUT } });
    await run.ended();
    assert.equal((await run.text()).split(OUTPUT).length - 1, 1);
  });
});

describe('The workflow tasks of the life of an invocation', () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
    // A sweep would bring what has waited for two seconds, as some of it does on a machine that is busy.
    await rig.startDelivery({ sweep: false });
    await rig.startWorker();
  });
  after(() => rig.stop());

  const work = async (id: string): Promise<void> => {
    await rig.claim(id);
    await rig.complete(id);
  };
  /** Seen in the history, since a query while its first task runs costs a task of its own. */
  const waits = (run: Run) =>
    eventually('the life to set its timer', async () => (await run.events()).includes('TimerStarted'), {
      ignoreErrors: () => true,
    });

  it('are one when it is over before its delivery', async () => {
    const id = await rig.together(async () => {
      const invocation = await rig.invoke();
      await work(invocation.id);
      return invocation.id;
    });
    const run = runOf(rig, id);
    await run.ended();
    assert.equal(await run.tasks(), 1);
    assert.equal(await rig.messagesOf(id), 0);
  });

  it('are two without surprises', async () => {
    const { id } = await rig.invoke();
    const run = runOf(rig, id);
    await waits(run);
    await rig.together(() => work(id));
    await run.ended();
    assert.equal(await run.tasks(), 2);
  });

  it('are one of a run woken anew after it was terminated, which reads the row and returns', async () => {
    const { id } = await rig.invoke();
    const first = runOf(rig, id);
    await waits(first);
    const { runId } = await first.handle.describe();
    await first.handle.terminate('by hand');
    await rig.together(() => work(id));
    const second = runOf(rig, id);
    await second.ended();
    assert.notEqual((await second.handle.describe()).runId, runId);
    assert.equal(await second.tasks(), 1);
    assert.notEqual((await rig.row(id)).life_seen_at, null);
  });
});

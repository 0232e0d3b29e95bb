import assert from 'node:assert/strict';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { wake } from '../../workflows/life.ts';
import { itInFull } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { INPUT, OUTPUT, startRig, type Rig } from './rig.ts';
import { runOf, type Run } from './runs.ts';

/** The answer to an update. */
interface Standing {
  status: string;
  attempt: number;
  lease_until: string | null;
}

/** The summaries of timers and steps in the order of the history. */
async function summariesOf(run: Run): Promise<string[]> {
  const { events } = await run.handle.fetchHistory();
  return (events ?? []).flatMap(({ userMetadata }) => {
    const data = userMetadata?.summary?.data;
    return data ? [JSON.parse(Buffer.from(data).toString()) as string] : [];
  });
}

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

  itInFull('expires it by its own timer when nobody wakes it', async () => {
    const expired = async (seconds: number): Promise<Run> => {
      const run = runOf(rig, (await rig.invoke(seconds)).id);
      await run.showing(/^Ended: expired\.$/);
      const events = await run.events();
      const signals = events.filter((name) => name === 'WorkflowExecutionSignaled').length;
      // On a machine that is busy a life begins after the deadline and needs no timer, or the signal of its beginning is sent twice.
      return events.includes('TimerStarted') && signals === 1 ? run : expired(seconds * 4);
    };
    const run = await expired(2);
    assert((await run.events()).includes('TimerFired'));
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

  it('is claimed and completed by updates, which are answered', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    const { lease_until: leaseUntil, ...claimed } = await run.handle.executeUpdate<Standing, [object]>('claim', {
      args: [{ lease_seconds: 600 }],
    });
    assert.deepEqual(claimed, { status: 'processing', attempt: 1 });
    assert.match(leaseUntil ?? '', /^\d{4}-/);
    const done = await run.handle.executeUpdate<Standing, [object]>('complete', {
      args: [{ output: { text: OUTPUT }, attempt: 1 }],
    });
    assert.deepEqual(done, { status: 'completed', attempt: 1, lease_until: null });
    await run.ended();
    assert.equal((await rig.row(id)).status, 'completed');
    assert.equal((await run.text()).split(OUTPUT).length - 1, 1, 'the output is in the update and in no answer');
    const actors = await rig.context.pool.anyFirst(
      sql.unsafe`select actor from audit_events where target = ${id} order by id`,
    );
    assert.deepEqual(actors.slice(1), ['temporal-signal', 'temporal-signal']);
  });

  it('is failed and cancelled by updates', async () => {
    const failed = await rig.invoke();
    const run = await waiting(failed.id);
    await run.handle.executeUpdate('claim');
    const error = { code: 'NO_IDEA', message: 'It cannot be done.' };
    const { status } = await run.handle.executeUpdate<Standing, [object]>('fail', { args: [{ error }] });
    assert.equal(status, 'failed');
    const cancelled = await rig.invoke();
    const other = await (await waiting(cancelled.id)).handle.executeUpdate<Standing, []>('cancel');
    assert.equal(other.status, 'failed');
  });

  it('refuses an update by a failure whose type is the code, and goes on', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    const refusal = async (name: string, argument: object = {}) => {
      const failed: unknown = await run.handle
        .executeUpdate<Standing, [object]>(name, { args: [argument] })
        .catch((error: unknown) => error);
      assert(failed instanceof WorkflowUpdateFailedError, String(failed));
      assert(failed.cause instanceof ApplicationFailure, String(failed.cause));
      const { type, message, nonRetryable } = failed.cause;
      assert.equal(nonRetryable, true);
      return `${type}: ${message}`;
    };
    assert.match(await refusal('complete', { output: {} }), /^INVOCATION_NOT_PROCESSING: The invocation is pending/);
    assert.match(await refusal('claim', { lease_seconds: 'long' }), /^VALIDATION_ERROR: .*lease_seconds/);
    assert.match(await refusal('cancel', { why: 'so' }), /^VALIDATION_ERROR: /);
    await run.handle.executeUpdate('claim');
    assert.match(await refusal('claim'), /^INVOCATION_NOT_PENDING: /);
    assert.match(await refusal('complete', { output: { text: 7 } }), /^OUTPUT_SCHEMA_MISMATCH: /);
    assert.match(await refusal('complete', { output: {}, attempt: 9 }), /^LEASE_LOST: /);
    await run.showing(/Refused update complete: LEASE_LOST\. /);
    await run.handle.executeUpdate('complete', { args: [{ output: { text: 'at last' } }] });
    await run.ended();
    assert.equal((await rig.row(id)).output, '{"text":"at last"}');
  });

  it('answers a repeated update id as the first, and an id of another act with a refusal', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    const claim = () => run.handle.executeUpdate<Standing, []>('claim', { updateId: 'attempt-1' });
    assert.deepEqual(await claim(), await claim());
    assert.equal((await rig.row(id)).attempt, 1);
    await run.handle.executeUpdate('complete', { args: [{ output: { text: 'once' } }] });
    await run.ended();
  });

  it('returns as its result the status that is final', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await run.handle.executeUpdate('claim');
    await run.handle.executeUpdate('complete', { args: [{ output: { text: 'done' } }] });
    assert.equal(await run.handle.result(), 'completed');
    const other = await rig.invoke();
    await (await waiting(other.id)).handle.signal('cancel');
    assert.equal(await runOf(rig, other.id).handle.result(), 'failed');
  });

  it('shows refusals with their time', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    const before = Date.now();
    await run.handle.signal('complete', { output: {} });
    const shown = await run.showing(/Refused signal complete/);
    const [, at = ''] = /^(\S+Z) Refused signal complete: INVOCATION_NOT_PROCESSING\. /m.exec(shown) ?? [];
    const seconds = (Date.parse(at) - before) / 1_000;
    assert(seconds > -60 && seconds < 60, at);
    await run.handle.signal('cancel');
    await run.ended();
  });

  it('has a timeline that reads as a story: what each timer waits for, and what each step does', async () => {
    const { id } = await rig.invoke();
    const run = await waiting(id);
    await run.handle.executeUpdate('claim', { args: [{ lease_seconds: 600 }] });
    await run.showing(/^Claimed/);
    await run.handle.signal('complete', { output: { text: 'done' } });
    await run.ended();
    const story = await summariesOf(run);
    const next = (what: RegExp): void => {
      const at = story.findIndex((line) => what.test(line));
      assert(at >= 0, `${what} is missing in ${story.join('\n')}`);
      story.splice(0, at + 1);
    };
    next(/^skill-\w+ 1\.0\.0 for op_/);
    next(/^Looks at the invocation/);
    next(/^Waits for claim or completion until \d{4}-/);
    next(/^Performs claim, which was sent through Temporal\.$/);
    next(/^Claimed \(attempt 1\)\. Waits for completion until \d{4}-/);
    next(/^Performs complete, /);
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

  it('says which signals there are to a caller that misspells one', async () => {
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

  it('are one of a run woken again after it was terminated, which reads the row and returns', async () => {
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
  });
});

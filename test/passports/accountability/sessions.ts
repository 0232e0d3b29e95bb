import { sql } from '../../../src/database/pool.ts';
import { CheckoutBodySchema } from '../../../src/passports/accountability/schema.ts';
import { decideReview } from '../../../src/passports/accountability/decide-review.ts';
import { submitCheckout, submitCheckpoint } from '../../../src/passports/accountability/submit-report.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { wake } from '../../../workflows/life.ts';
import { callOf } from '../../invocations/own-context.ts';
import type { Rig } from '../../temporal/rig.ts';
import { runOf, type Run } from '../../temporal/runs.ts';
import { newLineage, newOperator, run, timePasses, type Lineage, type LineageOptions } from '../lineages.ts';

/** Texts that no history of a life may contain (rule 3). */
export const SUMMARY = 'summary-that-no-history-may-hold';
export const INTENT = { summary: 'intent-that-no-history-may-hold', services: ['GitHub'] };
const REPORT = CheckoutBodySchema.parse({ services_used: ['GitHub'], actions_count: 1, summary: SUMMARY });

/** A session on a rig, of one lineage. */
export interface Session extends Lineage {
  life: Run;
  checkpoint(): Promise<unknown>;
  /** @returns the id of the review, null where nobody reviews. */
  checkout(): Promise<string | null>;
  block(review: string, future?: boolean): Promise<unknown>;
  revoke(): Promise<void>;
  /** Time passes for the rows, and the life is woken. */
  passes(seconds: number): Promise<void>;
}

/** Leaves the message that issuing or delegating would leave. */
export async function wakeSession(rig: Rig, session: string): Promise<void> {
  await run(rig.context.pool, sql.fragment`select wake_life(${lifeId.session(session)})`);
  rig.context.delivery.messagesCommitted();
}

/** A lineage, by default with a session of its own, and its message. */
export async function beginSession(rig: Rig, options: Partial<LineageOptions> = {}): Promise<Session> {
  const { context } = rig;
  const lineage = await newLineage(context.pool, {
    operator: await newOperator(context.pool),
    intent: INTENT,
    ...options,
  });
  await wakeSession(rig, lineage.session);
  const { operator, jti } = lineage;
  const life = runOf(rig, lifeId.session(lineage.session));
  return {
    ...lineage,
    life,
    checkpoint: () => submitCheckpoint(context, callOf(operator, 'submitCheckpoint'), { jti, body: REPORT }),
    async checkout() {
      const { body } = await submitCheckout(context, callOf(operator, 'submitCheckout'), { jti, body: REPORT });
      return body.review?.checkout_id ?? null;
    },
    block: (review, future = false) =>
      decideReview(context, callOf(operator, 'decidePassportReview'), {
        checkoutId: review,
        decision: { decision: 'blocked', block_future: future },
      }),
    async revoke() {
      await run(context.pool, sql.fragment`select revoke_lineages(array[${jti}], ${jti}, 'test')`);
      context.delivery.messagesCommitted();
    },
    async passes(seconds) {
      await timePasses(context.pool, lineage, seconds);
      await life.handle.signal(wake);
    },
  };
}

import { ApplicationFailure } from '@temporalio/common';
import assert from 'node:assert/strict';
import { ensureOperator } from '../../../src/accounts/index.ts';
import { subscribe } from '../../../src/billing/subscriptions/subscribe.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { callOf } from '../../invocations/own-context.ts';
import { unique } from '../../support/factories.ts';
import type { Rig } from '../../temporal/rig.ts';

/** In place of a step at a provider who is away for longer than the step is tried. */
export const failsAtOnce = (): Promise<void> =>
  Promise.reject(ApplicationFailure.nonRetryable('This step fails in this test.', 'TEST'));

/** A subscription whose checkout nobody has opened when its caller gives up. @returns its life */
export async function unopenedSubscription({ context }: Rig): Promise<string> {
  const name = unique('subscriber');
  const operatorId = await ensureOperator(context, { name, email: `${name}@example.test`, tier: 'free' });
  const isUnavailable = (error: unknown): boolean =>
    error instanceof CarnetError && error.code === 'TEMPORARILY_UNAVAILABLE';
  await assert.rejects(subscribe(context, callOf(operatorId, 'subscribe'), { tier: 'pro' }), isUnavailable);
  return lifeId.subscription(operatorId);
}

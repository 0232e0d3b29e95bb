import { issueClaim } from '../../claims/index.ts';
import { faultPoint } from '../../commands/fault-points.ts';
import { inTransaction } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { secondsNow } from '../../database/instants.ts';
import { newId, type AgentId, type OperatorId } from '../../ids/ids.ts';
import { metrics } from '../../metrics/metrics.ts';
import { costOfCall, countedUsage, maxCostOfCall } from '../../models/cost.ts';
import type { ModelCaller, ModelOutcome, ModelQuestion } from '../../models/model-caller.ts';
import { pricesOfModel, type TokenPrices } from '../../models/settings.ts';
import { nameClaims } from '../name-claims.ts';
import { beginClassification, settleClassification, type AnsweredCall } from './queries.ts';
import { judgementOf, questionAbout, type Judgement } from './question.ts';

/** The parts that asking a model needs. */
export interface ClassifierContext extends Context {
  readonly models: ModelCaller;
}

/** A text that the scanner leaves undecided. */
export interface Excerpt {
  eventId: string;
  attempt: number;
  operatorId: OperatorId;
  agentId: AgentId;
  /** A part of the content of the event; it is sent to the model, and kept nowhere. */
  excerpt: string;
}

/** `failed`: nothing that can be used came back. `unavailable`: no model is set, or the operator has no allowance left and no money. */
export type Classification = Judgement | { outcome: 'failed' } | { outcome: 'unavailable' };

const classifications = metrics.counter(
  'carnet_inbound_classifications',
  'Inbound events that a model was to judge, by what came of it',
);

/**
 * Asks the model of L3_MODEL about an event that wants to be classified, once an attempt: the row is `calling` before the call, so a
 * process that dies in it is not followed by a second call. What is promised for the call is held until its cost is known. The verdict,
 * the cost and the end of the promise are one transaction: an injection and a failure raise the event to `high` there.
 * @returns null where the event of this attempt wants none, since somebody else has it, or it has ended
 * @throws CarnetError TEMPORARILY_UNAVAILABLE where the database does not answer
 */
export async function classifyExcerpt(context: ClassifierContext, excerpt: Excerpt): Promise<Classification | null> {
  const { l3Model, modelProviders } = context.config;
  const prices = l3Model === undefined ? undefined : pricesOfModel(modelProviders, l3Model);
  const question =
    l3Model === undefined || prices === undefined ? null : { ...l3Model, ...questionAbout(excerpt.excerpt), prices };
  const begun = await inTransaction(context, (connection) =>
    beginClassification(connection, {
      ...excerpt,
      callId: newId('llm'),
      maxMicrocents: question === null ? null : maxCostOfCall(question, question.prices),
    }),
  );
  faultPoint('classifyExcerpt:calling');
  if (begun === null) return null;
  if (begun === 'unavailable' || question === null) {
    classifications.add(1, { outcome: 'unavailable' });
    return { outcome: 'unavailable' };
  }
  const answer = await ask(context, excerpt.eventId, question);
  faultPoint('classifyExcerpt:answered');
  const judged = answer?.isWhole === true ? judgementOf(answer.text) : null;
  const isOurs = await inTransaction(context, async (connection) => {
    const endpointId = await settleClassification(connection, {
      ...excerpt,
      outcome: judged?.outcome ?? 'failed',
      reason: judged?.reason ?? 'The model that was to judge this did not.',
      call: answer === null ? null : callOf(question, answer, excerpt),
    });
    if (endpointId === null) return false;
    if (judged?.outcome === 'injection') {
      await nameClaims(connection, excerpt.eventId, [await issueSignal(connection, excerpt, endpointId)]);
    }
    return true;
  });
  if (!isOurs) return null; // it took longer than a call may, and the event has gone on without it
  const classified = judged ?? ({ outcome: 'failed' } as const);
  classifications.add(1, { outcome: classified.outcome });
  return classified;
}

type Answer = ModelOutcome & { outcome: 'answered' };

/** A fault of ours in the call is no answer, like one of the provider: the event must not stay `calling`. */
async function ask(
  { models, log }: ClassifierContext,
  eventId: string,
  question: ModelQuestion,
): Promise<Answer | null> {
  try {
    const outcome = await models.ask(question);
    if (outcome.outcome === 'answered') return outcome;
  } catch (error) {
    log.error({ err: error, eventId }, 'a fault of the service interrupted a call of a model');
  }
  return null;
}

function callOf(question: ModelQuestion & { prices: TokenPrices }, answer: Answer, { agentId }: Excerpt): AnsweredCall {
  const usage = countedUsage(question, answer.usage);
  return {
    operation: 'injection_classification',
    provider: question.provider,
    model: question.model,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
    cached_prompt_tokens: usage.cachedPromptTokens,
    streaming: false,
    cost_microcents: costOfCall(usage, question.prices),
    agent_id: agentId,
  };
}

/** Evidence that the operator can show, as for what the scanner finds. */
const issueSignal = async (
  connection: Parameters<typeof issueClaim>[0],
  { eventId, agentId, operatorId }: Excerpt,
  endpointId: string,
) =>
  issueClaim(connection, {
    type: 'detector_signal',
    subject: `carnet://agent/${agentId}`,
    payload: {
      type: 'detector_signal',
      detector_key: 'instruction_override',
      severity: 'high',
      pipeline: 'llm',
      agent_id: agentId,
      metadata: { event_id: eventId, endpoint_id: endpointId },
      detected_at: await secondsNow(connection),
    },
    agentId,
    missionRef: null,
    operatorIds: [operatorId],
  });

import { assertPatterns } from '../../authority/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import type { Context } from '../../context/context.ts';
import { textArray } from '../../database/columns.ts';
import { sql } from '../../database/pool.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { newId } from '../../ids/ids.ts';
import {
  assertCanHoldPassport,
  selectIdentityClaims,
  grantedServices,
  checkpointInterval,
  requireActiveBindings,
  toPassportIdentityClaim,
} from './assemble.ts';
import { constraintsOf } from './constraints.ts';
import type { FactsInUse } from './facts.ts';
import { resolveIntents } from './intents.ts';
import { narrowAudience, narrowServices, withinAudience } from './narrowing.ts';
import type { IssueBody, SignedPassport } from '../schema.ts';
import { PassportAnswerRow, signPassport } from './sign.ts';

/**
 * Issues a passport: a new session with its first lineage, and what the agent is granted now.
 * @throws CarnetError NOT_FOUND, VALIDATION_ERROR, UNKNOWN_INTENT, AGENT_REVIEW_PENDING, OPERATOR_SUSPENDED,
 *   AGENT_BLOCKED, INVALID_STATE, SCOPE_NOT_GRANTED, SCOPE_ESCALATION, AUTHORITY_BINDING_INVALID, PASSPORT_TOO_LARGE,
 *   INSUFFICIENT_CREDITS, TEMPORARILY_UNAVAILABLE; PASSPORT_REVOKED for a repeated call whose passport a withdrawn key signed.
 */
export async function issuePassport(
  context: Context,
  call: CommandCall,
  body: IssueBody,
): Promise<Answered<SignedPassport>> {
  await assertPatterns(context, call.caller.operatorId, constraintsOf(body.scopes ?? []));
  return await signPassport(context, call, {
    compose: (facts) => composeIssue(context, { call, body, facts }),
    decide: (common, composed) => sql.type(PassportAnswerRow)`
      select * from issue_passport(${common},
        p_session => ${composed?.claims.session_id ?? null}, p_agent => ${body.agent_id},
        p_accountability => ${composed?.accountability ?? null}, p_ttl_seconds => ${Math.floor(body.ttl_seconds)},
        p_session_seconds => ${context.config.sessionMaxSeconds}, p_interval => ${composed?.interval ?? null},
        p_intent => ${body.intent === undefined ? null : JSON.stringify(body.intent)}, p_missions => ${textArray(body.mission_ids)},
        p_budget => ${body.budget?.amount_cents ?? null})`,
  });
}

interface Issue {
  call: CommandCall;
  body: IssueBody;
  facts: FactsInUse;
}

async function composeIssue(context: Context, { call: { caller }, body, facts }: Issue) {
  const holder = await facts.of(body.agent_id);
  assertThat(holder, () => notFound('agent'));
  const { agent } = holder;
  const identity = selectIdentityClaims(holder, body.identity_claim_ids);
  const requested = await resolveIntents(context, {
    items: body.scopes ?? [],
    refs: body.intent?.refs ?? [],
    operatorId: caller.operatorId,
    agentId: agent.id,
  });
  assertCanHoldPassport(holder);
  const granted = grantedServices(holder);
  const services =
    body.scopes === undefined
      ? withinAudience(granted, body.audience)
      : narrowServices(granted, requested, 'SCOPE_NOT_GRANTED');
  const bindings = requireActiveBindings(holder, body.authority_binding_ids);
  facts.use(...identity, ...bindings);
  const interval = checkpointInterval(holder, agent.accountability, body.checkpoint_interval_seconds);
  return {
    accountability: agent.accountability,
    interval,
    audience:
      body.audience &&
      narrowAudience(body.audience, {
        services,
        own: [context.config.publicBaseUrl],
        excessCode: 'SCOPE_NOT_GRANTED',
      }),
    claims: {
      operator_id: caller.operatorId,
      agent_id: agent.id,
      agent_name: agent.name,
      services,
      identity_claims: identity.map((claim) => toPassportIdentityClaim(claim, caller.operatorId)),
      authority_refs: bindings,
      delegation_depth: 0,
      session_id: newId('ses'),
      ...(body.intent && { intent_summary: body.intent.summary, intent_services: body.intent.services }),
      mission_ids: body.mission_ids,
      chain: [],
    },
  };
}

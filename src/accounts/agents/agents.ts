import { calculateJwkThumbprint } from 'jose';
import { credentialName, grantOf, isPerson, type Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import type { GovernedAct } from '../../commands/governed-acts.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { digestOfSubject } from '../../commands/subject-digest.ts';
import { assertThat, CarnetError, invalid, notFound } from '../../errors/carnet-error.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { newId } from '../../ids/ids.ts';
import { actToOutlive } from '../outlive.ts';
import { assertGrant } from '../partner-grants/queries.ts';
import type { PublicJwk } from './public-jwk.ts';
import {
  countAgents,
  findAgent,
  findBlockedByKey,
  findSeenAgent,
  insertAgent,
  isKeyBeyondGrant,
  liftBlocks,
  listAgents,
  listBearers,
  listBlocks,
  lockAgentAndKeys,
  lockKeys,
  saveAgent,
} from './queries.ts';
import {
  AccountabilitySchema,
  ENFORCED_INTERVAL_SECONDS,
  type Accountability,
  type Agent,
  type AgentConduct,
  type CreateAgent,
  type UpdateAgent,
} from './schema.ts';

/**
 * @throws CarnetError AGENT_BLOCKED for the key of a blocked agent; UNAUTHENTICATED for a partner whose grant has just ended, PARTNER_SCOPE
 *   for one who names a key of an agent beyond the grant;
 *   GOVERNANCE_APPROVAL_REQUIRED for a public key by a credential that ends.
 */
export const createAgent = (context: Context, call: CommandCall, body: CreateAgent): Promise<Answered<Agent>> =>
  runCommand(context, call, async (unit) => {
    const { caller } = call;
    const { operatorId } = caller;
    if (caller.kind === 'partner') await assertGrant(unit.connection, caller);
    const thumbprint = await thumbprintOf(body.public_jwk);
    if (thumbprint !== null) {
      await lockKeys(unit.connection, { operatorId, agentId: null }, thumbprint);
      await assertMayEnter(unit.connection, caller, thumbprint);
    }
    const asked = { act: 'new_agent_public_key.outlives_maker', end: null } as const;
    const act = thumbprint === null ? null : await actToOutlive(unit.connection, caller, asked);
    if (thumbprint !== null && act !== null) {
      const subject = { key_bearers: await bearersOf(unit.connection, { operatorId, thumbprint, agentId: null }) };
      const refused = await context.requireApproval(unit, call, { act, subject });
      if (refused !== null) return refused;
    }
    const agent = await insertAgent(unit.connection, {
      ...body,
      id: newId('ag'),
      operatorId,
      grantId: grantOf(caller),
    });
    await unit.audit('agent.created', agent.id, { name: agent.name, accountability: agent.accountability });
    unit.changed(agent.id);
    return { status: 201, body: agent, location: `/v1/agents/${agent.id}` };
  });

/** @throws CarnetError NOT_FOUND for an unknown or foreign agent. */
export async function readAgent(context: Context, caller: Caller, agentId: string): Promise<Agent> {
  const agent = await findSeenAgent(context.pool, { operatorId: caller.operatorId, grantId: grantOf(caller) }, agentId);
  assertThat(agent, () => notFound('agent'));
  return agent;
}

/** A partner sees what was registered under its grant. */
export const maySeeAgent = (caller: Caller, { partner_grant_id: grantId }: Pick<Agent, 'partner_grant_id'>): boolean =>
  caller.kind !== 'partner' || caller.grantId === grantId;

export async function pageOfAgents(
  context: Context,
  caller: Caller,
  page: { limit: number; offset: number },
): Promise<{ items: Agent[]; total: number }> {
  const seen = { operatorId: caller.operatorId, grantId: grantOf(caller) };
  const [items, total] = await Promise.all([listAgents(context.pool, seen, page), countAgents(context.pool, seen)]);
  return { items: [...items], total };
}

/**
 * Changes an agent; `status: disabled` retires it: its keys are refused and its passports revoked from the commit on. One that is blocked
 * stays blocked: retirement is a fact beside the block, since a block would end it otherwise, and unblocking would make the agent active. No key undoes
 * what a key did: that needs a note of who retired it, and the answer would depend on what nobody sees. All that takes a key of an agent, makes
 * one, or names the agent in an invocation or an endpoint looks at the retirement first.
 * @throws CarnetError NOT_FOUND; INVALID_STATE for the key of a blocked agent or for making it active, and for the 1,001st key of one; AGENT_BLOCKED for the key of
 *   another; GOVERNANCE_APPROVAL_REQUIRED for less accountability than before, for an agent that was retired and comes back, and for another
 *   public key by a credential that ends, unless a person calls or has approved it.
 */
export const updateAgent = (
  context: Context,
  call: CommandCall,
  { agentId, patch }: { agentId: string; patch: UpdateAgent },
): Promise<Answered<Agent>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    const named = { operatorId: call.caller.operatorId, agentId };
    const retires = patch.status === 'disabled';
    if (retires) {
      await context.passportRevocation.lock(connection, named.operatorId);
      await context.agentConduct.lock(connection, named);
    }
    const thumbprint = await thumbprintOf(patch.public_jwk);
    const before = await lockAgentAndKeys(connection, named, thumbprint);
    assertThat(before, () => notFound('agent'));
    const blocked = before.status === 'blocked';
    assertThat(
      !blocked || (patch.status !== 'active' && patch.public_jwk === undefined),
      () =>
        new CarnetError(
          'INVALID_STATE',
          'The agent is blocked; unblock it before it is made active or its key changes.',
          {
            extra: { current_status: before.status },
          },
        ),
    );
    if (thumbprint !== null) await assertMayEnter(connection, call.caller, thumbprint);
    const after = withPatch(before, patch);
    const retired = patch.status === undefined ? before.retired_at !== null : retires;
    const act = await actOfChange(connection, call.caller, {
      before,
      after,
      returns: before.retired_at !== null && !retired,
    });
    if (act !== null) {
      const { subject } = await decidedAbout(context, connection, before);
      const bearers = thumbprint === null ? null : await bearersOf(connection, { ...named, thumbprint });
      const refused = await context.requireApproval(unit, call, {
        act,
        subject: { ...subject, ...(bearers !== null && { key_bearers: bearers }) },
      });
      if (refused !== null) return refused;
    }
    const agent = await saveAgent(connection, after, { blocked, retired });
    const revoked = retires && {
      passports_revoked: await context.passportRevocation.ofAgent(connection, { ...named, reason: 'Agent disabled' }),
    };
    await unit.audit('agent.updated', agent.id, { ...patch, ...revoked });
    unit.changed(agent.id);
    return { status: 200, body: agent };
  });

/** RFC 7638. Null: no key is entered. */
const thumbprintOf = async (key: PublicJwk | null | undefined): Promise<string | null> =>
  key === null || key === undefined ? null : await calculateJwkThumbprint({ kty: key.kty, crv: key.crv, x: key.x });

/**
 * Whether the caller may enter a public key for an agent; it is locked. A block would be worth nothing if the same key were an agent again immediately,
 * and a partner with a key of somebody else's agent would decide what that one is held to. The keys of other operators are no matter: anybody
 * can name a public key.
 * @throws CarnetError AGENT_BLOCKED, with the id of the agent for callers who may see it; PARTNER_SCOPE
 */
async function assertMayEnter(connection: CommonQueryMethods, caller: Caller, thumbprint: string): Promise<void> {
  const { operatorId } = caller;
  const blocked = await findBlockedByKey(connection, operatorId, thumbprint);
  if (caller.kind === 'partner') {
    if (blocked !== null)
      throw new CarnetError(
        'AGENT_BLOCKED',
        'This is a key of an agent that is blocked; a person of the operator unblocks it.',
      );
    if (await isKeyBeyondGrant(connection, { operatorId, grantId: caller.grantId, thumbprint }))
      throw new CarnetError(
        'PARTNER_SCOPE',
        'An agent beyond the grant of this key has or had this public key; register the agent with a key of its own.',
      );
  } else if (blocked !== null) {
    throw new CarnetError('AGENT_BLOCKED', `This is a key of ${blocked}, which is blocked; a person unblocks it.`, {
      extra: { agent_id: blocked },
    });
  }
}

/** Most agents with one key that a person is shown whole. */
const MAX_BEARERS = 100;

/** Who else has or had a key, as a person looks at it who decides whose it is: of many agents the newest, and the rest by a digest. */
async function bearersOf(connection: CommonQueryMethods, key: Parameters<typeof listBearers>[1]): Promise<object> {
  const bearers = await listBearers(connection, key);
  const others = bearers.slice(MAX_BEARERS);
  return {
    agents: bearers.slice(0, MAX_BEARERS),
    other_agents: { count: others.length, digest: digestOfSubject(others) },
  };
}

/**
 * Names the act that a person has to decide about a change; null: a key may. One approval stands for the whole request, so the first that applies is the act:
 * the person reads the others in the same body.
 */
async function actOfChange(
  connection: CommonQueryMethods,
  caller: Caller,
  { before, after, returns }: { before: Agent; after: Agent; returns: boolean },
): Promise<GovernedAct | null> {
  if (isHeldToLess(after, before)) return 'agent.accountability_weakened';
  if (returns) return 'agent.brought_back';
  if (after.public_jwk === null || after.public_jwk.x === before.public_jwk?.x) return null;
  return await actToOutlive(connection, caller, { act: 'agent_public_key.outlives_maker', end: null });
}

/**
 * A weaker mode, or checkpoints that are due less often or not at all. The interval counts in the mode that the agent is held to, which may be
 * that of another agent with a key of it (decision A60): a standard agent owes checkpoints then, by its own interval where that is the shortest.
 * It counts in its own mode too, since an agent that shares another key with it may be held to that one.
 */
const isHeldToLess = (after: Agent, before: Agent): boolean => {
  if (isWeaker(after.accountability, before.accountability)) return true;
  const { accountability: held } = before.held_to;
  const heldAfter = isWeaker(held, after.accountability) ? after.accountability : held;
  return (
    secondsBetween(after.accountability, after) > secondsBetween(before.accountability, before) ||
    secondsBetween(heldAfter, after) > secondsBetween(held, before)
  );
};

/** Seconds between the checkpoints that an agent with this interval owes in a mode; in mode standard it owes none. */
const secondsBetween = (mode: Accountability, { checkpoint_interval_seconds: own }: Agent): number => {
  if (mode === 'standard') return Number.POSITIVE_INFINITY;
  const most = mode === 'enforced' ? ENFORCED_INTERVAL_SECONDS : Number.POSITIVE_INFINITY;
  return Math.min(own ?? most, most);
};

/** The levels of the schema stand in order, the weakest first. */
const isWeaker = (level: Accountability, than: Accountability): boolean =>
  AccountabilitySchema.options.indexOf(level) < AccountabilitySchema.options.indexOf(than);

/** The agent but for its standing. What the patch leaves out stays; null clears what may be null. */
const withPatch = (before: Agent, patch: UpdateAgent): Agent => ({
  ...before,
  name: patch.name ?? before.name,
  accountability: patch.accountability ?? before.accountability,
  public_jwk: patch.public_jwk === undefined ? before.public_jwk : patch.public_jwk,
  checkpoint_interval_seconds:
    patch.checkpoint_interval_seconds === undefined
      ? before.checkpoint_interval_seconds
      : patch.checkpoint_interval_seconds,
  monthly_limit_cents: patch.monthly_limit_cents === undefined ? before.monthly_limit_cents : patch.monthly_limit_cents,
});

/** All that a person must know who decides about an agent (decision A33): the agent, and each block, review and flag of it and of its twins. */
async function decidedAbout(
  context: Context,
  connection: CommonQueryMethods,
  agent: Agent,
): Promise<{ subject: Omit<AgentConduct, 'digest'>; holding: number }> {
  const { conduct, holding } = await context.agentConduct.of(connection, {
    operatorId: agent.operator_id,
    agentId: agent.id,
  });
  const own = await listBlocks(connection, agent.id, 'own');
  const twins = await listBlocks(connection, agent.id, 'of its twins');
  const subject = {
    agent,
    blocks: own.blocks,
    other_blocks: own.others,
    twin_blocks: twins.blocks,
    other_twin_blocks: twins.others,
    conduct,
  };
  return { subject, holding };
}

/** @throws CarnetError NOT_FOUND for an unknown or foreign agent. */
export async function readConduct(context: Context, { operatorId }: Caller, agentId: string): Promise<AgentConduct> {
  const agent = await findAgent(context.pool, { operatorId, agentId });
  assertThat(agent, () => notFound('agent'));
  const { subject } = await decidedAbout(context, context.pool, agent);
  return { ...subject, digest: digestOfSubject(subject) };
}

/**
 * Lifts every block of an agent, and what reviews that were decided as blocked hold of it; its passports that were revoked stay revoked, a
 * review that is pending holds it until it is decided, and one that was retired is as retired as before.
 * @param seen the digest of what the person has looked at, who does it in a dashboard session
 * @throws CarnetError NOT_FOUND; INVALID_STATE where there is nothing to lift; VALIDATION_ERROR for a person who does not say what they have
 *   seen; SUBJECT_CHANGED; GOVERNANCE_APPROVAL_REQUIRED unless a person calls or has approved it.
 */
export const unblockAgent = (
  context: Context,
  call: CommandCall,
  { agentId, seen }: { agentId: string; seen: string | undefined },
): Promise<Answered<Agent>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    const named = { operatorId: call.caller.operatorId, agentId };
    await context.agentConduct.lock(connection, named);
    const before = await lockAgentAndKeys(connection, named, null);
    assertThat(before, () => notFound('agent'));
    const { subject, holding } = await decidedAbout(context, connection, before);
    assertThat(
      before.status === 'blocked' || holding > 0,
      () =>
        new CarnetError(
          'INVALID_STATE',
          `The agent is ${before.status}, not blocked, and no review that was blocked holds it; there is nothing to lift.`,
          { extra: { current_status: before.status } },
        ),
    );
    if (isPerson(call.caller) && seen === undefined) {
      const message = `is missing: send the digest of GET /v1/agents/${agentId}/conduct, so that you lift nothing that you have not seen`;
      throw invalid({ path: 'seen', message, code: 'required' });
    }
    const refused = await context.requireApproval(unit, call, { act: 'agent.unblocked', subject, seen });
    if (refused !== null) return refused;
    await liftBlocks(connection, agentId);
    await context.agentConduct.liftHolds(connection, named);
    const agent = await saveAgent(connection, before, { blocked: false, retired: before.retired_at !== null });
    await unit.audit('agent.unblocked', agent.id);
    await context.recordEvent(connection, {
      operatorId: named.operatorId,
      type: 'agent.unblocked',
      severity: 'warning',
      payload: { agent_id: agent.id, unblocked_by: credentialName(call.caller) },
    });
    unit.changed(agent.id);
    return { status: 200, body: agent };
  });

import type { CommandCall, CommittedRefusal } from '../commands/command.ts';
import type { GovernedAct } from '../commands/governed-acts.ts';
import type { Unit } from '../commands/unit.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import type { InboundProvider } from '../fields/inbound-providers.ts';
import type { JsonObject } from '../json/value.ts';

/** How commands reach lives. */
export interface Delivery {
  /** Notes that a commit left messages for lives; each is delivered when it is due: half a second later, and where an event wakes a destination immediately. */
  messagesCommitted(): void;
  /**
   * Starts a life immediately, whose message was committed just now and for which somebody waits; what fails here is left to the message.
   */
  begin(life: string): Promise<void>;
  /**
   * The newest run of a life; null where Temporal knows none.
   * @throws CarnetError TEMPORARILY_UNAVAILABLE where Temporal does not answer within two seconds
   */
  newestRun(life: string): Promise<RunOfLife | null>;
}

/** A run of a life, as Temporal knows it. */
export interface RunOfLife {
  run_id: string;
  /** Temporal's word: `RUNNING`, `COMPLETED` … */
  status: string;
  started_at: string;
  closed_at: string | null;
  /** Its page in the Temporal UI, where its address is known. */
  url: string | null;
}

/**
 * The one gate of governed acts, to be called inside the command after validation and state checks and before its effect.
 * Who may do the act in a dashboard session passes. A bearer passes with X-Governance-Approval naming an approval of this very
 * request that a person gave: it is consumed in this transaction. Everybody else gets an approval request that stays. An approval is
 * bound to the subject as it was shown to that person too, so a change of it makes the approval lapse.
 *
 *     const refused = await context.requireApproval(unit, call, { act: 'agent.unblocked', subject: agent });
 *     if (refused !== null) return refused;
 *
 * @returns null where the act may go on, otherwise what the command returns.
 * @throws CarnetError NOT_OWNER for an administrator in a dashboard session where an owner decides; SUBJECT_CHANGED with `digest` and
 *   `subject` for a person who has `seen` another state.
 */
export type RequireApproval = (unit: Unit, call: CommandCall, asked: Governed) => Promise<CommittedRefusal | null>;

/** The request that a person would approve. */
export interface Governed {
  act: GovernedAct;
  /**
   * All that its decider must know of what it is about, as it stands and as they see it, JSON; null: the request says it all. One function
   * of the act makes it: the page shows it, the approval is bound to its digest, and `seen` repeats that.
   */
  subject: object | null;
  /** The digest that a person who does the act directly has sent of what they looked at; absent: the call takes none. */
  seen?: string | undefined;
}

/**
 * Records an event that the operator is notified of, in the transaction of what it is about. The payload is of the schema that
 * src/events/types.ts has for the type.
 */
export type RecordEvent = (
  connection: CommonQueryMethods,
  event: { operatorId: string; type: string; severity: 'info' | 'warning' | 'critical'; payload: JsonObject },
) => Promise<void>;

/** Names the agent. */
interface AgentOfOperator {
  operatorId: string;
  agentId: string;
}

/** Reads what an agent has to answer for: its reviews and flags, which the domain of agents cannot read. */
export interface AgentConduct {
  /** Locks the reviews that hold the agent until the transaction ends; before the agent's own row (rule 12). */
  lock(connection: CommonQueryMethods, agent: AgentOfOperator): Promise<void>;
  /** Returns what a person looks at who decides about the agent, and how many reviews hold it that were decided as blocked. */
  of(connection: CommonQueryMethods, agent: AgentOfOperator): Promise<{ conduct: JsonObject; holding: number }>;
  /** Lifts what these reviews hold; `lock` comes first. */
  liftHolds(connection: CommonQueryMethods, agent: AgentOfOperator): Promise<void>;
}

/** A place of an inbound event as a person reads it. */
export interface Passage {
  /** As findings name it. */
  place: string;
  /** In order. `findings`: those that mark this part, counted from 0. `left_out`: code units of the place that are not shown behind it. */
  parts: { text: string; findings: number[]; left_out: number }[];
}

export interface PassagesOfBody {
  passages: Passage[];
  places_left_out: number;
}

/**
 * Reads for a person what came to an inbound endpoint. In threads of the process that is asked: strangers choose what their parsers read, and
 * no step of a worker waits for it.
 */
export interface ContentReader {
  /**
   * @param findings of its scan, to be marked
   * @param caller the operator; operators take turns
   * @throws Error where it is none of its provider's kind, or cannot be read in time
   */
  passages(
    input: { provider: InboundProvider; contentType: string | null; body: Uint8Array },
    findings: readonly { place: string; span: { start: number; end: number } }[],
    caller: string,
  ): Promise<PassagesOfBody>;
}

/** Ends passports together with the agent or operator that they were issued to, in the same transaction. */
export interface PassportRevocation {
  /**
   * Locks the operator's passports until the transaction ends: what is being issued meanwhile is seen by the revocation, or refused
   * after it. In a statement before any that reads or locks what it is about (rule 12).
   */
  lock(connection: CommonQueryMethods, operatorId: string): Promise<void>;
  /** Revokes the active passports of an agent and all that was delegated from them; `lock` comes first. @returns how many. */
  ofAgent(
    connection: CommonQueryMethods,
    agent: { operatorId: string; agentId: string; reason: string },
  ): Promise<number>;
  /** Revokes every active passport of an operator; `lock` comes first. @returns how many. */
  ofOperator(connection: CommonQueryMethods, operator: { operatorId: string; reason: string }): Promise<number>;
}

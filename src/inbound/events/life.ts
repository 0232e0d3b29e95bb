import { describeLives, type LifeDescription } from '../../commands/life-description.ts';
import { faultPoint } from '../../commands/fault-points.ts';
import { inTransaction } from '../../commands/unit.ts';
import { issueClaim } from '../../claims/index.ts';
import type { Context } from '../../context/context.ts';
import { secondsNow } from '../../database/instants.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import type { AgentId, OperatorId } from '../../ids/ids.ts';
import { classifyExcerpt, type ClassifierContext } from '../classification/index.ts';
import { ScanFailed, ScanLater, ScanTooSlow, type Finding, type Scanner } from '../scanner/index.ts';
import type { ScanInput } from '../reading/body.ts';
import { UnreadableBody } from '../reading/errors.ts';
import { nameClaims } from '../name-claims.ts';
import { decryptContent, type InboundContent } from './content.ts';
import {
  advanceInboundRow,
  attemptOf,
  describeInboundRows,
  failEvent,
  findEncryptedEvent,
  holdUnscannedEvent,
  recordVerdict,
  type InboundStepRow,
  type EncryptedEvent,
} from './queries.ts';

/** The context of the steps of an event. */
export interface ScannerContext extends Context {
  readonly scanner: Scanner;
}

/** The next step of an event. */
interface InboundStep {
  /**
   * `classify`: a model is to be asked. `forward`: it may leave. `turn`: as many scans or forwards of the operator, or forwards of the endpoint, as may be are under way. `calls`: a call was
   * begun, and what comes of it is not written down yet.
   */
  status: Exclude<InboundStepRow['status'], 'scan'>;
  waitMs: number | null;
}

/**
 * One step of the life of an event: deletes the messages that woke it, scans what nobody has judged, and decides by the policy of the
 * endpoint. By the row, so it may run any number of times.
 */
export async function advanceInbound(context: ScannerContext, id: string): Promise<InboundStep> {
  const { pool, rowEvents } = context;
  let found = await advanceInboundRow(pool, id);
  if (found.status === 'scan') {
    try {
      await scanEvent(context, id, found.attempt);
    } catch (error) {
      if (error instanceof ScanLater) return { status: 'turn', waitMs: 1_000 };
      throw error;
    }
    faultPoint('advanceInbound:scanned');
    found = await advanceInboundRow(pool, id);
  }
  const { status, wait_ms: waitMs } = found;
  // A rival has begun another attempt between the two looks; its own wake-up scans it.
  if (status === 'scan') return { status: 'calls', waitMs: 1_000 };
  if (status === 'ended') rowEvents.changed(id);
  return { status, waitMs };
}

async function scanEvent(context: ScannerContext, id: string, attempt: number): Promise<void> {
  const opened = await openEvent(context, { id, attempt }, (scanner, { input, operatorId }) =>
    scanner.scan(input, operatorId),
  );
  if (opened === null) return;
  const { event, read: verdict } = opened;
  await inTransaction(context, async (connection) => {
    const classify = context.config.l3Model !== undefined;
    if (await recordVerdict(connection, { id, attempt, ...verdict, classify }))
      await issueSignals(connection, { id, event, findings: verdict.findings });
  });
}

/** Asks a model about an event that the scanner leaves undecided, once an attempt. */
export async function classifyInbound(context: ScannerContext & ClassifierContext, id: string): Promise<void> {
  const attempt = await attemptOf(context.pool, id);
  const opened = await openEvent(context, { id, attempt }, (scanner, { input, operatorId, event }) =>
    scanner.excerpt(input, event.verdict?.findings ?? [], operatorId),
  );
  if (opened === null) return;
  const { event, read: excerpt } = opened;
  await classifyExcerpt(context, {
    eventId: id,
    attempt,
    operatorId: event.operator_id as OperatorId,
    agentId: event.agent_id as AgentId,
    excerpt,
  });
}

/** An event as it came, and what was read of it. */
interface OpenedEvent<Read> {
  event: EncryptedEvent;
  content: InboundContent;
  read: Read;
}

interface ToRead {
  input: ScanInput;
  operatorId: string;
  event: EncryptedEvent;
}

/**
 * Opens what came, and reads of it with the scanner what is needed: a verdict, what is forwarded, or an excerpt.
 * @returns null where it cannot be read: the attempt is over then, failed or held
 */
export async function openEvent<Read>(
  context: ScannerContext,
  { id, attempt }: { id: string; attempt: number },
  read: (scanner: Scanner, of: ToRead) => Promise<Read>,
): Promise<OpenedEvent<Read> | null> {
  const { pool, log, scanner, rowEvents } = context;
  const event = await findEncryptedEvent(pool, id);
  const fail = async (reason: keyof typeof FAILURES | 'unreadable', error: string): Promise<null> => {
    await failEvent(pool, id, { attempt, reason, error });
    rowEvents.changed(id);
    return null;
  };
  if (event.sealed === null) return await fail('content_purged', FAILURES.content_purged);
  let content: InboundContent;
  try {
    content = decryptContent(context.encryption, id, event.sealed);
  } catch (error) {
    log.error({ err: error, eventId: id }, 'no key of ENCRYPTION_KEY opens the content of an inbound event');
    return await fail('key_unavailable', FAILURES.key_unavailable);
  }
  const { provider, operator_id: operatorId } = event;
  const { contentType, body } = content;
  try {
    const input: ScanInput = { provider, contentType, body };
    return { event, content, read: await read(scanner, { input, operatorId, event }) };
  } catch (error) {
    if (!(error instanceof ScanFailed || error instanceof UnreadableBody)) throw error;
    // A body that was judged before was read once: another try of the step reads it again.
    if (event.verdict !== null && error instanceof ScanFailed) throw error;
    log.warn({ err: error, eventId: id }, 'an inbound event could not be scanned; nothing of it is forwarded');
    if (error instanceof ScanTooSlow && attempt >= SLOW_ATTEMPTS) {
      await holdUnscanned(context, { id, attempt, event });
      rowEvents.changed(id);
      return null;
    }
    return error instanceof UnreadableBody
      ? await fail('unreadable', error.reason)
      : await fail('scan_failed', FAILURES.scan_failed);
  }
}

const FAILURES = {
  key_unavailable: 'No key of ENCRYPTION_KEY opens the content of this event.',
  content_purged: 'The content of this event is no longer kept.',
  scan_failed: 'The scanner failed or did not end in time; what is not scanned is not forwarded.',
} as const;

/**
 * Attempts of an event until one whose scan is too slow holds it for good (decision I40): without an end, 9.6 MB of `i-g-n-o-r-e-` need 4.4 s each
 * time. One attempt is too few, since the first scan of a thread compiles the code.
 */
const SLOW_ATTEMPTS = 3;

const UNSCANNED: Finding = {
  detector_key: 'unscanned',
  severity: 'high',
  place: '',
  span: { start: 0, end: 0 },
  reason: 'It needs more processor time than a scan may have, so nothing of it was scanned.',
};

/** Ends an event that takes too long to scan as `blocked`, regardless of the policy: the next delivery of it is a duplicate. */
async function holdUnscanned(
  context: ScannerContext,
  { id, attempt, event }: { id: string; attempt: number; event: EncryptedEvent },
): Promise<void> {
  const findings = [UNSCANNED];
  await inTransaction(context, async (connection) => {
    const verdict = { verdict: 'malicious', severity: 'high', findings } as const;
    if (!(await recordVerdict(connection, { id, attempt, ...verdict, classify: false }))) return;
    await holdUnscannedEvent(connection, { id, attempt, error: UNSCANNED.reason });
    await issueSignals(connection, { id, event, findings });
  });
}

/**
 * One claim a detector, of its gravest finding: evidence that the operator can show. A claim outlives the content and others read it, so nothing in it is of the sender's
 * choice; where each finding is stands in the event.
 */
async function issueSignals(
  connection: CommonQueryMethods,
  { id, event, findings }: { id: string; event: EncryptedEvent; findings: readonly Finding[] },
): Promise<void> {
  const detectedAt = await secondsNow(connection);
  const byDetector = Map.groupBy(findings, ({ detector_key: key }) => key);
  const claimIds: string[] = [];
  for (const [detectorKey, found] of byDetector) {
    const [gravest] = found;
    if (gravest === undefined) continue;
    const claimId = await issueClaim(connection, {
      type: 'detector_signal',
      subject: `carnet://agent/${event.agent_id}`,
      payload: {
        type: 'detector_signal',
        detector_key: detectorKey,
        severity: gravest.severity,
        pipeline: 'heuristic',
        agent_id: event.agent_id,
        metadata: { event_id: id, endpoint_id: event.endpoint_id, findings: found.length },
        detected_at: detectedAt,
      },
      agentId: event.agent_id,
      missionRef: null,
      operatorIds: [event.operator_id],
    });
    claimIds.push(claimId);
  }
  await nameClaims(connection, id, claimIds);
}

/** One query for several ids; ids without a row are left out. With nothing of what came. */
export const describeInbound = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(
    await describeInboundRows(pool, ids),
    ({ id, operator_id: operatorId, agent_id: agentId, endpoint_id: endpointId }) => ({
      operatorIds: [operatorId],
      agentId,
      summary: `Event for ${agentId}`,
      details: `Event \`${id}\` at \`${endpointId}\` for \`${agentId}\` of \`${operatorId}\``,
    }),
  );

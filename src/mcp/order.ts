import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { getBalance } from '../billing/wallet/routes.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { cents } from '../fields/cents.ts';
import { jsonObject } from '../fields/objects.ts';
import { invoke } from '../invocations/routes.ts';
import type { Invocation } from '../invocations/schema.ts';
import { quoted } from '../json/shown.ts';
import { postVerify } from '../passports/verifying/routes.ts';
import { taskOf } from './task.ts';
import { text, type ToolCall } from './tool.ts';

/** Seconds that an order waits for its end, unless it says: most skills answer within, and clients give up after 60. */
const STANDARD_WAIT = 20;
const MAX_WAIT = 50;

/** 1 to 255 printable ASCII characters: it becomes the Idempotency-Key of the route. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters')
  .describe(
    'A new text of your own for each piece of work. Send the same one again when an answer does not arrive: it is not paid twice.',
  );

export const waitSeconds = z
  .int()
  .min(0)
  .max(MAX_WAIT)
  .describe(`How long to wait for the end, in seconds; ${STANDARD_WAIT} unless given.`);

/** The arguments of each tool that orders work. */
export const orderFields = {
  idempotency_key: idempotencyKey,
  max_price_cents: cents.optional().describe('Refuse instead of paying more than this, in US cents.'),
  wait_seconds: waitSeconds.optional(),
};

/** An output of this many characters of JSON at most stands beside the text as well; no result has a longer one twice, since a model pays for both. */
const SHORT_OUTPUT = 1_000;

/** Where an invocation stands, for programs. */
export const InvocationOutput = z.object({
  invocation_id: z.string(),
  skill_id: z.string(),
  status: z.enum(['pending', 'processing', 'completed', 'failed', 'expired']),
  price_cents: z.int(),
  output: jsonObject
    .optional()
    .describe(`The output of a completed order, where it is short; the last text of the result always has it.`),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

interface Order {
  skillId: string;
  input: z.output<typeof jsonObject>;
  idempotency_key: string;
  max_price_cents?: number | undefined;
  wait_seconds?: number | undefined;
}

/** Orders work, and answers its end, or how to ask for it: as a task where the client takes one. */
export async function order(call: ToolCall, given: Order): Promise<CallToolResult> {
  const { skillId, input, idempotency_key: key, max_price_cents: limit } = given;
  const wait = given.wait_seconds ?? (call.takesTasks ? 0 : STANDARD_WAIT);
  const { body, replayed } = await call.callRoute(invoke, {
    params: { id: skillId },
    body: { input, ...(limit !== undefined && { max_price_cents: limit }) },
    key,
    wait: wait === 0 ? undefined : wait,
  });
  if (call.takesTasks && isOpen(body)) return { ...taskOf(body), resultType: 'task', content: [] };
  return await resultOf(call, body, { replayed });
}

const isOpen = ({ status }: Pick<Invocation, 'status'>): boolean => status === 'pending' || status === 'processing';

/** The result of an invocation: a sentence, its output as JSON, and what it costs. */
export async function resultOf(
  call: ToolCall,
  invocation: Invocation,
  { replayed = false }: { replayed?: boolean } = {},
): Promise<CallToolResult> {
  const { id, skill_id, status, price_cents, output, error } = invocation;
  const json = output === null ? undefined : JSON.stringify(output);
  const money = await moneyOf(call, invocation);
  return {
    content: [text(sentenceOf(invocation, money)), ...(json === undefined ? [] : [text(json)])],
    structuredContent: {
      invocation_id: id,
      skill_id,
      status,
      price_cents,
      ...(json !== undefined && json.length <= SHORT_OUTPUT && { output }),
      ...(error !== null && { error }),
    },
    ...((status === 'failed' || status === 'expired') && { isError: true }),
    _meta: { 'carnet/invocation_id': id, ...money, ...(replayed && { 'carnet/replayed': true }) },
  };
}

interface Money {
  'carnet/price_cents': number;
  'carnet/cost_cents': number;
  'carnet/held_cents': number;
  'carnet/available_cents'?: number;
}

/** The money of an invocation for who pays it, in US cents; nothing for its provider. */
async function moneyOf(call: ToolCall, invocation: Invocation): Promise<Money | undefined> {
  if (invocation.consumer_operator_id !== call.operatorId) return undefined;
  const { status, price_cents: price, compute_cents: compute, compute_bound_cents: bound } = invocation;
  // The end of an order tells what is left: an open one is answered without another query.
  const available = isOpen(invocation) ? null : await availableTo(call);
  return {
    'carnet/price_cents': price,
    'carnet/cost_cents': (status === 'completed' ? price : 0) + compute,
    'carnet/held_cents': isOpen(invocation) ? price + bound : 0,
    ...(available !== null && { 'carnet/available_cents': available }),
  };
}

/** The cents that the credential can spend: of the wallet, or of the budget of a passport. Null where it may not know. */
async function availableTo({ callRoute, passport }: ToolCall): Promise<number | null> {
  if (passport !== undefined) {
    const { body } = await callRoute(postVerify, { body: { token: passport } });
    return body.valid ? (body.budget?.remaining_cents ?? null) : null;
  }
  try {
    return (await callRoute(getBalance)).body.available_cents;
  } catch (error) {
    if (error instanceof CarnetError) return null;
    throw error;
  }
}

function sentenceOf({ id, status, error, expires_at: expires }: Invocation, money: Money | undefined): string {
  const rest = money?.['carnet/available_cents'];
  const left = rest === undefined ? '' : `, ${rest} cents are left`;
  const paid = money === undefined ? '' : ` It costs ${money['carnet/cost_cents']} cents${left}.`;
  const held = money === undefined ? '' : ` ${money['carnet/held_cents']} cents are held.`;
  if (status === 'completed') return `Invocation ${id} is completed.${paid} Its output follows.`;
  if (status === 'failed')
    return `Invocation ${id} failed: ${quoted(error?.code ?? '')}: ${quoted(error?.message ?? '')}.${paid}`;
  if (status === 'expired') return `Invocation ${id} expired before it was done.${paid}`;
  return `Invocation ${id} is ${status}, until ${expires} at most.${held} Call get_invocation to wait for its end.`;
}

import { z } from 'zod';
import type { ErrorCode } from './codes.ts';

const cents = (description: string) => z.int().meta({ description: `${description}, in cents` });
const moment = (description: string) => z.string().meta({ description });
const id = (description: string) => z.string().meta({ description });
const count = (description: string) => z.int().meta({ description });

/** Not `status`, which is a member of every problem. */
const status = { current_status: z.string().meta({ description: 'Its status now, which does not allow the request' }) };
const verified = { verified: z.boolean().meta({ description: 'Always false: the code does not prove the address' }) };
const full = { limit: count('How many there may be').optional(), used: count('How many there are').optional() };

/**
 * The members of a refusal beside those of every problem, by its code. A code that is missing here has none; a member that is optional comes
 * with some refusals of its code alone.
 */
export const ErrorMembers: { readonly [Code in ErrorCode]?: z.ZodRawShape } = {
  INVALID_CODE: { ...verified, tries_left: count('How often another code can be tried') },
  CODE_EXPIRED: verified,
  FORWARD_URL_FORBIDDEN: { rule: z.string().meta({ description: 'The rule that the URL breaks' }) },
  INVALID_PASSPORT: { reason: z.string().meta({ description: 'Why it does not verify' }).optional() },
  OPERATOR_CHOICE_REQUIRED: {
    operators: z
      .array(
        z
          .object({ id: z.string(), name: z.string(), role: z.string(), status: z.enum(['invited', 'joined']) })
          .meta({ id: 'OperatorChoice' }),
      )
      .meta({ description: 'Those that can be named' }),
  },
  PASSPORT_TOO_LARGE: { token_length: count('Characters that the token would have').optional() },
  TTL_EXCEEDS_PARENT: { remaining_seconds: count('Seconds that the parent is still valid') },
  BALANCE_TOO_LOW: {
    balance_cents: cents('The available balance'),
    receivable_cents: cents('The debt of the wallet').optional(),
  },
  BALANCE_BELOW_TOPUP: {
    required_cents: cents('The rest of the top-up'),
    balance_cents: cents('The available balance'),
  },
  SEATS_OUT_OF_RANGE: {
    included_seats: z.int().nullable().meta({ description: 'Seats of the tier; null: no limit' }),
    seat_ceiling: z.int().nullable().meta({ description: 'The most that the tier can have; null: no limit' }),
    seats_in_use: count('Seats that members take'),
  },
  INSUFFICIENT_CREDITS: {
    required_cents: cents('The cents that the request needs'),
    price_cents: cents('The price, a part of it').optional(),
    compute_bound_cents: cents('The most that executing the skill can cost, a part of it').optional(),
    balance_cents: cents('The available balance'),
    receivable_cents: cents('The debt of the wallet since a payment was taken back').optional(),
    top_up_url: z
      .string()
      .meta({ description: 'The page of the call that tops up, `POST /v1/billing/topup`, to read and to make it' })
      .optional(),
  },
  AGENT_BLOCKED: { agent_id: id('The blocked agent').optional() },
  AGENT_BUDGET_EXCEEDED: {
    limit: cents('The cents that the key may spend in a month'),
    used: cents('The cents that it has spent'),
  },
  AGENT_REVIEW_PENDING: { agent_id: id('The agent whose review is not approved') },
  AUTHORITY_BINDING_INVALID: { binding_id: id('The binding that is not active').optional() },
  GOVERNANCE_APPROVAL_REQUIRED: {
    approval_id: id('For the header X-Governance-Approval of the same request, once a person has approved it'),
    approval_url: z.string().meta({
      description: 'The page on which a person decides; GET /v1/governance/approvals/{id} has the same as JSON',
    }),
    expires_at: moment('When the approval ends'),
    approval_status: z.string().meta({ description: 'Why the approval that was sent does not count' }).optional(),
  },
  PASSPORT_BUDGET_EXCEEDED: {
    jti: id('The passport, here or above, that has the budget'),
    amount_cents: cents('The budget'),
    remaining_cents: cents('The rest of it'),
    required_cents: cents('The cents that the request needs'),
  },
  PASSPORT_EXPIRED: { expires_at: moment('When it expired').optional() },
  PROVIDER_NOT_ALLOWED: { providers: z.array(z.string()).meta({ description: 'Those that the grant includes' }) },
  SCOPE_NOT_GRANTED: { connection_id: id('The connection that was not granted').optional() },
  TIER_LIMIT_EXCEEDED: full,
  TRUST_LEVEL_INSUFFICIENT: {
    required: z.string().meta({ description: 'The level that the skill requires' }),
    effective: z.string().meta({ description: 'The level that the caller has' }),
  },
  ALREADY_CHECKED_OUT: { checked_out_at: moment('When it was checked out') },
  CONFLICT: { checkout_url: z.string().nullable().meta({ description: 'Where the open change is paid' }).optional() },
  CREDENTIAL_REQUIRED: {
    provider: z.string().meta({ description: 'The provider of language models that a key is missing for' }),
    who: z.enum(['buyer', 'seller', 'either']).meta({ description: 'Who has to enter it' }),
  },
  DESTINATION_EXISTS: { destination_id: id('The destination that has this address') },
  INVALID_STATE: { current_status: status.current_status.optional() },
  INVOCATION_EXPIRED: { expires_at: moment('When it expired') },
  INVOCATION_NOT_PENDING: status,
  INVOCATION_NOT_PROCESSING: status,
  LEASE_LOST: { attempt: count('The number of the current attempt') },
  PRICE_CHANGED: { price_cents: cents('The price of the skill now') },
  REVIEW_ALREADY_DECIDED: status,
  REVIEW_CHANGED: { digest: z.string().meta({ description: 'The digest of the review as it is now' }) },
  SELLER_LIMIT_REACHED: {
    max_calls: z.number().meta({ description: 'Calls a month that the seller allows, where they are used' }).optional(),
    max_cost_cents: z
      .number()
      .meta({ description: 'Cents a month that the seller allows, where less is left than the call may cost' })
      .optional(),
    resets_at: moment('When the next month begins'),
  },
  SUBJECT_CHANGED: {
    digest: z.string().meta({ description: 'The digest of `subject`' }),
    subject: z.unknown().meta({ description: 'The thing that the approval is about, as it is now' }),
  },
  RATE_LIMITED: { verified: verified.verified.optional() },
  PAYMENT_REFUSED: { refund_id: id('The refund that was refused').optional() },
};

/**
 * Says what is wrong with the further members of a refusal, in words; null: they are those that its code has. `errors` is a member of every problem.
 */
export function membersFault(code: ErrorCode, { errors: _errors, ...extra }: Record<string, unknown>): string | null {
  const { error } = z.strictObject(ErrorMembers[code] ?? {}).safeParse(extra);
  return error === undefined
    ? null
    : error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}

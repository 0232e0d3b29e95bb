import type { QuerySqlToken } from 'slonik';
import { z } from 'zod';
import { withTopUpUrl } from '../../billing/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runHotCommand } from '../../commands/hot.ts';
import type { Context } from '../../context/context.ts';
import { textArray } from '../../database/columns.ts';
import { sql } from '../../database/pool.ts';
import { isRaised } from '../../database/sql-states.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { newId } from '../../ids/ids.ts';
import { commandArguments } from '../command-arguments.ts';
import { FactsInUse } from './facts.ts';
import type { SignedPassport } from '../schema.ts';
import { activeKey, keyOf, signingKeys } from '../keys/signing-keys.ts';
import { PASSPORT_CLAIM, type ComposedClaims, type PassportClaims } from '../token.ts';

/** After this many attempts during which the operator's grants changed, the answer is 503. */
const MAX_ATTEMPTS = 6;

/** The row that issue_passport(), delegate_passport() and refresh_passport() return (type passport_answer). */
export const PassportAnswerRow = z.object({
  replayed: z.boolean(),
  jti: z.string(),
  kid: z.string(),
  payload: z.string(),
  expires_at: z.string(),
  messages: z.number(),
});
type PassportAnswer = z.infer<typeof PassportAnswerRow>;

/** The arguments that the three functions have in common. */
type SigningArguments = ReturnType<typeof signingArguments>;

interface Composition {
  claims: ComposedClaims;
  /** The accountability of the agents by their facts; the statement takes what the lineages are held to, where that is more. */
  accountability: PassportClaims['accountability'];
  /** Seconds between checkpoints; null: none. */
  interval: number | null;
  /** Ids of services; undefined: the passport has no audience. The payload of the row has it, so there is no column. */
  audience: readonly string[] | undefined;
}

interface Signing<Composed extends Composition> {
  /** Composes the claims from facts, or throws a refusal. Called again where the facts were out of date. */
  compose(facts: FactsInUse): Promise<Composed>;
  /**
   * The call of the SQL function that decides. `composed` null: `compose` refused, and the function confirms or rejects
   * that.
   */
  decide(common: SigningArguments, composed: Composed | null): QuerySqlToken<typeof PassportAnswerRow>;
}

/**
 * Composes a passport from cached facts, lets one statement check that they are current and write the row, and signs
 * the payload of the row. The token is not stored: the same row gives the same token (decision A17). A refusal goes
 * through the statement too, so that it is never based on old facts, and an answer stored under the Idempotency-Key
 * comes first.
 * @throws CarnetError what `compose` or the statement refuses, INSUFFICIENT_CREDITS over the allowance,
 *   TEMPORARILY_UNAVAILABLE
 */
export async function signPassport<Composed extends Composition>(
  context: Context,
  call: CommandCall,
  { compose, decide }: Signing<Composed>,
): Promise<Answered<SignedPassport>> {
  for (let left = MAX_ATTEMPTS; left > 0; left -= 1) {
    const facts = new FactsInUse(context, call.caller.operatorId);
    const key = await activeKey(context);
    const { composed, refusal } = await compose(facts).then(
      (made) => ({ composed: made, refusal: null }),
      (error: unknown) => ({ composed: null, refusal: refusalOf(error) }),
    );
    const common = signingArguments(context, call, { facts, kid: key.kid, composed, refusal });
    try {
      const row = await runHotCommand(context, call, {
        query: decide(common, composed),
        effects: ({ messages }) => ({
          changed: [],
          messages,
        }),
      });
      return answered(row, (row.kid === key.kid ? key : await keyOf(context, row.kid)).sign(row.payload));
    } catch (error) {
      if (isRaised(error, 'refusalStands') && refusal !== null) throw refusal;
      if (isRaised(error, 'factsMoved')) facts.forget();
      else if (isRaised(error, 'keyMoved')) await signingKeys(context).reread();
      else throw withTopUpUrl(context.config, error);
    }
  }
  throw new CarnetError(
    'TEMPORARILY_UNAVAILABLE',
    'The agent or its grants are changing right now; repeat the call in a moment.',
    {
      headers: { 'Retry-After': '1' },
    },
  );
}

const answered = (row: PassportAnswer, token: string): Answered<SignedPassport> => ({
  status: 201,
  body: { token, jti: row.jti, expires_at: row.expires_at },
  location: `/v1/passports/${row.jti}`,
  replayed: row.replayed,
});

/** A refusal is confirmed by Postgres; any other error is thrown on. */
function refusalOf(error: unknown): CarnetError {
  if (error instanceof CarnetError && error.status < 500) return error;
  throw error;
}

interface SigningInput {
  facts: FactsInUse;
  kid: string;
  composed: Composition | null;
  refusal: CarnetError | null;
}

/** A fault of the request itself is refused before it is known whether an agent is under review, everything else after that. */
const REFUSED_FIRST: ReadonlySet<number> = new Set([400, 404]);

const placeOf = (refusal: CarnetError | null): 'first' | 'last' | null =>
  refusal === null ? null : REFUSED_FIRST.has(refusal.status) ? 'first' : 'last';

const signingArguments = (
  { config }: Context,
  call: CommandCall,
  { facts, kid, composed, refusal }: SigningInput,
) => sql.fragment`
  ${commandArguments(call)}, p_composed => row(${newId('psp')}, ${placeOf(refusal)}, ${facts.revision}, ${textArray(facts.agents)},
    ${textArray(facts.digests)}, ${facts.until}, ${kid}, ${config.publicBaseUrl}, ${PASSPORT_CLAIM},
    ${composed === null ? null : JSON.stringify(composed.claims)},
    ${composed?.audience === undefined ? null : JSON.stringify(composed.audience)})::composed_passport`;

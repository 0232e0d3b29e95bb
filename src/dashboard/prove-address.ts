import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { codeFits, isLive, noLiveCode, wrongCode } from '../one-time-codes/codes.ts';
import { countWrongTry, lockSignInCode, type Asker, type SignInCode } from './queries.ts';

/** The code of an address, as a try is judged by it. */
interface Sent {
  /** The MAC of the address. */
  address: string;
  /** The MAC of the code. */
  code: string;
  /** The browser that tries has requested it. */
  own: boolean;
}

/** Whether that which was entered proves the address; a refusal says why nothing was tried. */
export type Proof = (context: Pick<Context, 'encryption'>, sent: Sent) => boolean | CarnetError;

/** The six digits of the mail. */
export const byCode =
  (code: string): Proof =>
  ({ encryption }, sent) =>
    codeFits(encryption, { purpose: 'sign-in-code', subject: sent.address }, { code, mac: sent.code });

interface Try {
  asker: Asker;
  email: string;
  requestId: string;
  proof: Proof;
  /** Whether the address may be proved at all; where it may not, the refusal is that of a wrong code. */
  isKnown: boolean;
}

/**
 * The code where it fits, or its refusal. A wrong try is counted, so the refusal is returned and not thrown: the count
 * must be committed (decision C8).
 */
export async function proveAddress(
  context: Pick<Context, 'encryption'>,
  connection: CommonQueryMethods,
  { asker, email, requestId, proof, isKnown }: Try,
): Promise<SignInCode | CarnetError> {
  const stored = await lockSignInCode(connection, asker);
  if (!isLive(stored)) return noLiveCode('address');
  if (stored.wait !== null) return tooManyTries(stored.wait);
  const fits = proof(context, { address: asker.address, code: stored.code, own: stored.own });
  if (fits instanceof CarnetError) return fits;
  if (fits && isKnown) return stored;
  await countWrongTry(connection, stored, { email, requestId });
  return wrongCode(stored);
}

const tooManyTries = (seconds: number): CarnetError =>
  new CarnetError(
    'RATE_LIMITED',
    'Wrong codes were sent for this address all day. Enter the code in the browser that requested it.',
    { headers: { 'Retry-After': String(seconds) }, extra: { verified: false } },
  );

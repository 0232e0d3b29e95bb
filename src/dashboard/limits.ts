import type { LimitedCall } from '../http/rate-limit.ts';

/** Limits one block of addresses, for each of the two calls of signing in; their forms count as the calls. */
const CALLS_PER_MINUTE = 10;

export const SEND_CODE: LimitedCall = { operation: 'sendSignInCode', callsPerMinute: CALLS_PER_MINUTE };
export const SIGN_IN: LimitedCall = { operation: 'signIn', callsPerMinute: CALLS_PER_MINUTE };

import { accountLaws } from './accounts.ts';
import { holdLaws } from './holds.ts';
import type { LedgerLaw } from './law.ts';
import { meterLaws } from './meters.ts';
import { paymentLaws } from './payments.ts';
import { payoutLaws } from './payouts.ts';

export { ledgerFacts } from './law.ts';

/** Everything that must hold of money at any moment. */
export const ledgerLaws: readonly LedgerLaw[] = [
  ...accountLaws,
  ...holdLaws,
  ...meterLaws,
  ...paymentLaws,
  ...payoutLaws,
];

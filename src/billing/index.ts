export { adjustWallet, type Adjustment } from './adjust-wallet.ts';
export { assertLedger, ledgerFaults } from './assert-ledger.ts';
export { ensureDemoCredit } from './demo-credit.ts';
export { describePayouts } from './describe-payouts.ts';
export { withTopUpUrl } from './insufficient-credits.ts';
export type { PayoutsProgress } from './payout-queries.ts';
export { advancePayout, openPayouts, reconcilePayouts, transferPayout } from './payouts.ts';
export { WalletTransactionSchema, type WalletTransaction } from './schema.ts';

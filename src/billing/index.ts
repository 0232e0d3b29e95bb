export { adjustWallet, type Adjustment } from './adjust-wallet.ts';
export { assertLedger, ledgerFaults } from './assert-ledger.ts';
export { ensureDemoCredit } from './demo-credit.ts';
export { withTopUpUrl } from './insufficient-credits.ts';
export { WalletTransactionSchema, type WalletTransaction } from './schema.ts';

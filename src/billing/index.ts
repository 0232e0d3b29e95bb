export { adjustWallet, type Adjustment } from './adjust-wallet.ts';
export {
  assertLedger,
  faultText,
  ledgerFaults,
  proveLedger,
  type LedgerFault,
  type LedgerProof,
} from './assert-ledger.ts';
export { ensureDemoCredit } from './demo-credit.ts';
export { withTopUpUrl } from './insufficient-credits.ts';
export { recordMachineRun, type MachineRun } from './machine-runs.ts';
export { recordModelCall, type ModelCall, type ModelCallPrice } from './model-calls.ts';
export { WalletTransactionSchema, type WalletTransaction } from './schema.ts';

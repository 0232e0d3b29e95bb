export { adjustWallet, type Adjustment } from './wallet/adjust-wallet.ts';
export {
  assertLedger,
  faultText,
  ledgerFaults,
  proveLedger,
  type LedgerFault,
  type LedgerProof,
} from './ledger/prove.ts';
export { ensureDemoCredit } from './wallet/demo-credit.ts';
export { withTopUpUrl } from './wallet/insufficient-credits.ts';
export { recordMachineRun, type MachineRun } from './metering/machine-runs.ts';
export { recordModelCall, type ModelCall, type ModelCallPrice } from './metering/model-calls.ts';
export { WalletTransactionSchema, type WalletTransaction } from './wallet/schema.ts';
export { localPaymentPages } from './payments/local/index.ts';

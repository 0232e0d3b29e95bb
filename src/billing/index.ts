export {
  assertLedger,
  faultText,
  ledgerFaults,
  proveLedger,
  type LedgerFault,
  type LedgerProof,
} from './ledger/prove.ts';
export { stuckMetrics } from './cases/stuck.ts';
export { ensureDemoCredit } from './wallet/demo-credit.ts';
export { ensurePortal } from './payments/portal-configuration.ts';
export { withTopUpUrl } from './wallet/insufficient-credits.ts';
export { recordMachineRun, type MachineRun } from './metering/machine-runs.ts';
export { recordModelCall, type ModelCall, type ModelCallPrice } from './metering/model-calls.ts';
export { WalletTransactionSchema, type WalletTransaction } from './wallet/schema.ts';
export { localPaymentPages } from './payments/local/index.ts';
export { createPayments } from './payments/create-payments.ts';
export { purgePaymentEvents } from './payments/queries.ts';
export { advanceRefund, describeRefunds, requestRefund } from './payments/refunds/life.ts';
export { readRefunds } from './payments/refunds/read.ts';
export { advanceTopUp, checkTopUp, describeTopUps, fetchReceipt, openTopUp } from './payments/top-ups/life.ts';
export { describePayouts } from './payouts/describe.ts';
export { advancePayout, openPayouts, transferPayout } from './payouts/life.ts';
export { readPaymentEvents } from './webhook/read-events.ts';
export { closeSubscriptionCheckout, openSubscriptionCheckout } from './subscriptions/checkout.ts';
export {
  advanceSubscription,
  describeSubscriptions,
  fetchSubscription,
  pushSubscription,
} from './subscriptions/life.ts';
export { advancePortal, describePortals, openPortalPage } from './subscriptions/portal/life.ts';
export { purgePortals } from './subscriptions/portal/queries.ts';

export { localPaymentPages } from './pages.ts';
export { createLocalPayments, type LocalPaymentParts } from './provider.ts';

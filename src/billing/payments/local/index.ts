export { localPaymentPages } from './pages.ts';
export { createLocalPayments } from './provider.ts';

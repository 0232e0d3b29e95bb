export { localPaymentPages } from './pages.ts';
export { localPrices } from './prices.ts';
export { createLocalPayments } from './provider.ts';

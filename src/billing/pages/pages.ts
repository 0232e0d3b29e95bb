import type { PathOfPeoplePage } from '../../http/pages/people-pages.ts';
import { earningsPage } from './earnings-page.ts';
import { transactionPage } from './transaction-page.ts';
import { transactionsPage } from './transactions-page.ts';
import { walletPage } from './wallet-page.ts';

export const billingPages: readonly PathOfPeoplePage[] = [walletPage, transactionsPage, transactionPage, earningsPage];

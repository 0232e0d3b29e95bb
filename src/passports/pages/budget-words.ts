import { dollars } from '../../fields/dollars.ts';
import type { PassportBudget } from '../budgets/queries.ts';

/** Null: it has none. */
export const budgetWords = (budget: PassportBudget | null): string | null =>
  budget && `${dollars(budget.amount_cents)}, of which it can spend ${dollars(budget.remaining_cents)} now`;

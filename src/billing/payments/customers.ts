import { z } from 'zod';
import { findOperator } from '../../accounts/index.ts';
import { sql } from '../../database/pool.ts';
import type { PaymentsContext } from './provider.ts';

const CustomerRow = z.object({ customer_id: z.string() });

/**
 * The operator's customer id at the payment provider, where the customer is created at first need. Two calls at once
 * create one customer, since they use the same key.
 * @throws PaymentRefused
 */
export async function customerOf({ pool, config, payments }: PaymentsContext, operatorId: string): Promise<string> {
  const provider = config.payments?.provider ?? '';
  const known = await pool.maybeOne(sql.type(CustomerRow)`
    select customer_id from payment_customers where operator_id = ${operatorId} and provider = ${provider}`);
  if (known !== null) return known.customer_id;
  const operator = await findOperator(pool, operatorId);
  if (operator === null) throw new Error(`There is no operator ${operatorId}, which is to become a customer.`);
  const { customerId } = await payments.ensureCustomer({ operatorId, name: operator.name, email: operator.email });
  await pool.query(sql.type(z.object({}))`
    insert into payment_customers (operator_id, provider, customer_id) values (${operatorId}, ${provider}, ${customerId})
    on conflict do nothing`);
  return customerId;
}

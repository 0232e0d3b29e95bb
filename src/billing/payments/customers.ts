import { z } from 'zod';
import { findOperator } from '../../accounts/index.ts';
import { sql } from '../../database/pool.ts';
import type { PaymentsContext } from './provider.ts';

const CustomerRow = z.object({ customer_id: z.string() });

/**
 * Who the operator is to the payment provider, made there at first need. By the provider's key, so two calls at once return the
 * same.
 * @throws PaymentRefused
 */
export async function customerOf({ pool, config, payments }: PaymentsContext, operatorId: string): Promise<string> {
  const provider = config.payments?.provider ?? '';
  const known = await pool.maybeOne(sql.type(CustomerRow)`
    select customer_id from payment_customers where operator_id = ${operatorId} and provider = ${provider}`);
  if (known !== null) return known.customer_id;
  const operator = await findOperator(pool, operatorId);
  if (operator === null) throw new Error(`${operatorId} is to be a customer, and there is no such operator`);
  const { customerId } = await payments.ensureCustomer({ operatorId, name: operator.name, email: operator.email });
  await pool.query(sql.type(z.object({}))`
    insert into payment_customers (operator_id, provider, customer_id) values (${operatorId}, ${provider}, ${customerId})
    on conflict do nothing`);
  return customerId;
}

import { z } from 'zod';
import { findOperator } from '../../accounts/index.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { Context } from '../../context/context.ts';
import { CustomerUnknown, type Customer } from '../../context/payment-provider.ts';

const CustomerRow = z.object({ customer_id: z.string().nullable(), number: z.number() });

interface Known {
  operatorId: string;
  provider: string;
}

/**
 * Calls the provider for the operator's customer, which is made at first need. Where the provider no longer knows that
 * customer, since a person deleted it there, another is made and called for in its place: otherwise the operator could
 * never pay again.
 * @param call makes a request under a key that holds the number of the customer
 * @throws PaymentRefused
 */
export async function forCustomer<T>(
  context: Context,
  operatorId: string,
  call: (customer: Customer) => Promise<T>,
): Promise<T> {
  const known = { operatorId, provider: context.config.payments?.provider ?? '' };
  const customer = await customerOf(context, known);
  try {
    return await call(customer);
  } catch (error) {
    if (!(error instanceof CustomerUnknown)) throw error;
    context.log.warn(
      { operatorId },
      'the payment provider no longer knows the customer of an operator; another is made',
    );
    await forgetCustomer(context.pool, known, customer);
    return call(await customerOf(context, known));
  }
}

/** Two calls in parallel create one customer, since they use the same key. */
async function customerOf({ pool, payments }: Context, known: Known): Promise<Customer> {
  const { operatorId, provider } = known;
  const row = await pool.maybeOne(sql.type(CustomerRow)`
    select customer_id, number from payment_customers where operator_id = ${operatorId} and provider = ${provider}`);
  const customerNumber = row?.number ?? 1;
  if (typeof row?.customer_id === 'string') return { customerId: row.customer_id, customerNumber };
  const operator = await findOperator(pool, operatorId);
  if (operator === null) throw new Error(`There is no operator ${operatorId}, which is to become a customer.`);
  const { name, email } = operator;
  const customer = await payments.ensureCustomer({ operatorId, name, email, customerNumber });
  await pool.query(sql.type(z.object({}))`
    insert into payment_customers as c (operator_id, provider, customer_id) values (${operatorId}, ${provider}, ${customer.customerId})
    on conflict (operator_id, provider) do update set customer_id = excluded.customer_id
      where c.customer_id is null and c.number = ${customerNumber}`);
  return customer;
}

/** Only where it is still the one: a rival may have made another already. */
async function forgetCustomer(
  connection: CommonQueryMethods,
  { operatorId, provider }: Known,
  { customerNumber }: Customer,
): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    update payment_customers set customer_id = null, number = number + 1
    where operator_id = ${operatorId} and provider = ${provider} and number = ${customerNumber}`);
}

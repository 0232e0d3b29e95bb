import { z } from 'zod';
import { sql, type DatabasePool, type DatabaseTransactionConnection } from '../../../database/pool.ts';
import { PaymentRefused } from '../../../context/payment-provider.ts';

const KeyRow = z.object({ key: z.string() });
const CallRow = z.object({ same: z.boolean(), answer: z.unknown() });

/**
 * Does `work` once under `key`, in one transaction, and returns the stored answer to later calls. Of two calls at the
 * same time the second waits for the first.
 * @param answer the schema of the answer, which is stored as JSON.
 * @throws PaymentRefused where the key was used for another request: Stripe refuses that too.
 */
export async function keyedCall<Schema extends z.ZodType>(
  pool: DatabasePool,
  { key, request, answer }: { key: string; request: unknown; answer: Schema },
  work: (connection: DatabaseTransactionConnection) => Promise<z.input<Schema>>,
): Promise<z.output<Schema>> {
  const requestText = JSON.stringify(request);
  return pool.transaction(async (connection) => {
    const inserted = await connection.maybeOne(sql.type(KeyRow)`
      insert into local_calls (key, request) values (${key}, ${requestText}::jsonb) on conflict do nothing returning key`);
    if (inserted === null) {
      const stored = await connection.one(sql.type(CallRow)`
        select request = ${requestText}::jsonb as same, answer from local_calls where key = ${key}`);
      if (!stored.same) throw new PaymentRefused(`The key ${key} was used for another request.`);
      return answer.parse(stored.answer);
    }
    const result = await work(connection);
    await connection.query(
      sql.type(z.object({}))`update local_calls set answer = ${JSON.stringify(result)}::jsonb where key = ${key}`,
    );
    return answer.parse(result);
  });
}

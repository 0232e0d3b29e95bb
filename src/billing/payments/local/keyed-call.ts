import { z } from 'zod';
import { sql, type DatabasePool, type DatabaseTransactionConnection } from '../../../database/pool.ts';
import { PaymentRefused } from '../provider.ts';

const KeyRow = z.object({ key: z.string() });
const CallRow = z.object({ same: z.boolean(), answer: z.unknown() });

/**
 * Does `work` once under `key`, in one transaction, and answers later calls with what it answered; two at the same time wait for one
 * another.
 * @param answer reads the kept answer, which has been JSON.
 * @throws PaymentRefused where the key was used for another request, as Stripe does.
 */
export async function keyedCall<Schema extends z.ZodType>(
  pool: DatabasePool,
  { key, request, answer }: { key: string; request: unknown; answer: Schema },
  work: (connection: DatabaseTransactionConnection) => Promise<z.input<Schema>>,
): Promise<z.output<Schema>> {
  const asked = JSON.stringify(request);
  return pool.transaction(async (connection) => {
    const taken = await connection.maybeOne(sql.type(KeyRow)`
      insert into local_calls (key, request) values (${key}, ${asked}::jsonb) on conflict do nothing returning key`);
    if (taken === null) {
      const kept = await connection.one(sql.type(CallRow)`
        select request = ${asked}::jsonb as same, answer from local_calls where key = ${key}`);
      if (!kept.same) throw new PaymentRefused(`The key ${key} was used for another request.`);
      return answer.parse(kept.answer);
    }
    const made = await work(connection);
    await connection.query(
      sql.type(z.object({}))`update local_calls set answer = ${JSON.stringify(made)}::jsonb where key = ${key}`,
    );
    return answer.parse(made);
  });
}

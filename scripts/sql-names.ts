import type pg from 'pg';
import type { SqlFunction } from './sql-source.ts';

/** Variables that Postgres gives a trigger function besides new and old. */
const OF_TRIGGERS = Object.entries({ tg_op: 'text', tg_table_name: 'text', tg_argv: 'text[]' });

/**
 * Postgres checks the names in a plpgsql body only when it runs. Each SQL text of a body becomes the body of a temporary sql function
 * whose parameters are the variables, and those Postgres checks when it makes them. A trigger function is checked for each table that
 * has it, whose row new and old are.
 * @param client connected where the functions are installed; its temporary functions end with it.
 * @returns the faults, and how many texts were looked at.
 */
export async function nameFaults(
  client: pg.Client,
  functions: readonly SqlFunction[],
): Promise<{ texts: string[]; looked: number }> {
  const texts: string[] = [];
  let looked = 0;
  for (const one of functions.filter(({ language }) => language === 'plpgsql')) {
    looked += one.statements.length;
    const ways = one.isTrigger
      ? [...one.triggersOf].map((table) => new Map([...one.variables, ...OF_TRIGGERS, ['new', table], ['old', table]]))
      : [one.variables];
    for (const variables of ways) {
      const parameters = [...variables].map(([name, type]) => `${name} ${type}`);
      const check = (body: readonly string[]): Promise<string | undefined> => checkBody(client, { parameters, body });
      if ((await check(one.statements)) === undefined) continue;
      for (const statement of one.statements) {
        const fault = await check([statement]);
        if (fault === undefined) continue;
        texts.push(
          `${one.file}:${one.line} ${one.name}(): ${fault}\n  in: ${statement.trim().replaceAll(/\s+/g, ' ').slice(0, 200)}\n` +
            '  why: Postgres would find it only when this statement runs\n  instead: name what is there, or make it in a migration or a function',
        );
      }
    }
  }
  return { texts, looked };
}

async function checkBody(
  client: pg.Client,
  { parameters, body }: { parameters: readonly string[]; body: readonly string[] },
): Promise<string | undefined> {
  const text = `create or replace function pg_temp.checked(${parameters.join(', ')}) returns void language sql as $checked$ ${body.join(';\n')} $checked$`;
  try {
    await client.query('begin');
    await client.query(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.query('rollback');
  }
}

import type pg from 'pg';
import type { SqlFunction } from './sql-source.ts';

/** Variables that Postgres gives a trigger function besides its own; of new and old the table is known only when it runs. */
const TRIGGER = { tg_op: 'text', tg_table_name: 'text', tg_argv: 'text[]' };

/**
 * Postgres checks the names in a plpgsql body only when it runs. Each SQL text of a body becomes the body of a temporary sql function
 * whose parameters are the variables, and those Postgres checks when it makes them. Left out: texts with a variable of type `record`.
 * @param client connected where the functions are installed; its temporary functions end with it.
 * @returns the faults, and how many texts were looked at.
 */
export async function nameFaults(
  client: pg.Client,
  functions: readonly SqlFunction[],
): Promise<{ texts: string[]; looked: number; skipped: number }> {
  const texts: string[] = [];
  let looked = 0;
  let skipped = 0;
  for (const one of functions.filter(({ language }) => language === 'plpgsql')) {
    const triggers = /\breturns trigger\b/.test(one.text);
    const variables = new Map([...one.variables, ...(triggers ? Object.entries(TRIGGER) : [])]);
    const unknown = [...variables].filter(([, type]) => type === 'record').map(([name]) => name);
    if (triggers) unknown.push('new', 'old');
    const isKnown = (statement: string): boolean =>
      !unknown.some((name) => new RegExp(`(?<![\\w.'])${name}(?![\\w'])`).test(statement));
    const statements = one.statements.filter(isKnown);
    looked += statements.length;
    skipped += one.statements.length - statements.length;
    const parameters = [...variables]
      .filter(([name]) => !unknown.includes(name))
      .map(([name, type]) => `${name} ${type}`);
    const check = (body: readonly string[]): Promise<string | undefined> => checkBody(client, parameters, body);
    if ((await check(statements)) === undefined) continue;
    for (const statement of statements) {
      const fault = await check([statement]);
      if (fault === undefined) continue;
      texts.push(
        `${one.file}:${one.line} ${one.name}(): ${fault}\n  in: ${statement.trim().replaceAll(/\s+/g, ' ').slice(0, 200)}\n` +
          '  why: Postgres would find it only when this statement runs\n  instead: name what is there, or make it in a migration or a function',
      );
    }
  }
  return { texts, looked, skipped };
}

async function checkBody(
  client: pg.Client,
  parameters: readonly string[],
  body: readonly string[],
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

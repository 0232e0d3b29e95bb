import { createServer } from 'node:http';
import pg from 'pg';
import { sendJson, serve, settings } from './child.ts';

/** node:http, pg and a named statement each: the columns of a page by the same indexes, rows as JSON, and nothing around them. */

const { databaseUrl, operatorId } = settings<{ databaseUrl: string; operatorId: string }>();
const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 });

const statements: Record<string, string> = {
  '/statement': `
    select t.id, t.kind as type, t.amount_cents, t.debit_account, t.meter, t.description, t.created_at, t.skill_id, s.name as skill_name,
      t.invocation_id, i.status as invocation_status, i.mission_id, m.declared_intent
    from transfers t
      left join invocation_references i on i.id = t.invocation_id
      left join skill_names s on s.id = t.skill_id
      left join mission_intents m on m.id = i.mission_id
    where t.wallet = $1 order by t.position desc limit 50`,
  '/timeline': `
    select * from (
      (select position, 0 as call, id, kind as what, amount_cents, debit_account, null as provider, null as model, null as total_tokens,
          null as price_state, created_at
        from transfers where wallet = $1 order by position desc limit 50)
      union all
      (select position, call, id, operation, microcents, null, provider, model, total_tokens, price_state, created_at
        from model_calls where operator_id = $1 and meter is null order by call desc limit 50)
    ) entries order by position desc, call desc limit 50`,
};

await serve(
  createServer((request, response) => {
    const name = request.url ?? '';
    void pool
      .query({ name, text: statements[name] ?? '', values: [operatorId] })
      .then(({ rows }) => sendJson(response, JSON.stringify(rows)));
  }),
);

import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { quantile, table } from './pairs.ts';

const SKILLS = 100_000;
const READS = 40;
/** Milliseconds until the answer is there, p95. */
const GOAL_MS = 50;

/** A word by its number in the vocabulary, in SQL; the first ones stand for those that every market has much of. */
const wordOf = (
  nth: string,
): string => `case ${nth} when 0 then 'text' when 1 then 'document' when 2 then 'summarise' when 3 then 'url'
  else translate(left(md5((${nth})::text), 4 + ${nth} % 7), '0123456789', 'ghijklmnop') end`;

/**
 * A market: of 5,000 words, 25 in each text, the first ones far more frequent. 40 in a hundred skills have "text", 2 in a hundred a price of at
 * most one cent, one in a hundred is of a suspended operator.
 */
export const fillMarket = (skills: number): string[] => [
  // The triggers of the service would keep the entries one skill at a time.
  'set session_replication_role = replica',
  `insert into operators (id, name, email, status)
    select 'op_' || lpad(n::text, 26, '0'), 'Seller ' || n, n || '@carnet.invalid', case when n % 100 = 0 then 'suspended' else 'active' end
    from generate_series(1, 2000) n`,
  `insert into skills (id, operator_id, name, status, execution_mode, trust_level_required, price_per_invocation, version, input_schema_hash,
      output_schema_hash, description, tags, credential_mode, required_credentials, accepts_requests, executable, review_status, approved_at,
      input_required, output_declared, created_at)
    select 'skl_' || lpad(n::text, 26, '0'), 'op_' || lpad((1 + n % 2000)::text, 26, '0'), said.words[1] || '-' || said.words[2] || '-' || n,
      case when n % 50 = 0 then 'suspended' else 'active' end, 'open', 'L' || (n % 10) / 4, 1 + floor(500 * random() ^ 2)::int, '1.0.0', h.hash, h.hash,
      case when random() < 0.4 then 'Text ' else '' end || array_to_string(said.words, ' '), said.words[3:5], 'none', '[]', true, false, 'exempt',
      now(), array[case when random() < 0.6 then 'text' else said.words[6] end || ':string'], array[said.words[7] || ':string'],
      now() - (${skills} - n) * interval '1 minute'
    from generate_series(1, ${skills}) n
    cross join lateral (
      select array_agg(${wordOf('nth')}) as words from (select floor(5000 * random() ^ 3)::int as nth from generate_series(1, 25) where n > 0) r
    ) said
    cross join (select hash from skill_schemas limit 1) h`,
  `insert into skill_counts (skill_id, invocation_count, rated_5, rated_3, verified_count)
    select id, floor(10000 * random() ^ 8), floor(20 * random() ^ 6), floor(20 * random() ^ 6), 0 from skills s
    where not exists (select from skill_counts c where c.skill_id = s.id)`,
  `insert into skill_words (word) select distinct ${wordOf('n')} from generate_series(0, 4999) n on conflict do nothing`,
  `insert into skill_entries (entry, place, skill_id)
    select e.entry, e.place, s.id from skills s, skill_entries_of(s.search, s.tags, s.input_required, s.output_declared) e
    where s.status = 'active' order by 1, 2, 3 on conflict do nothing`,
  'set session_replication_role = default',
  'vacuum analyze',
];

/** Searches by what is hard about each. */
const searches: Record<string, string> = {
  'nothing asked': '',
  'a rare word': 'q=RARE',
  'a word that 4 in 10 skills have': 'q=text',
  'three frequent words': 'q=text%20document%20summarise',
  'a frequent word misspelt': 'q=documnet',
  'a beginning of one letter': 'q=d',
  'twenty frequent words': 'q=TWENTY',
  'a frequent word, cheapest first': 'q=text&sort=price',
  'a frequent word, best rated first': 'q=text&sort=rating',
  'a frequent word, at most a cent': 'q=text&max_price_cents=1',
  'a frequent tag': 'tags=text',
  'cheapest first': 'sort=price',
  'best rated first': 'sort=rating',
  'most used first': 'sort=most_used',
  'newest at most a cent': 'sort=newest&max_price_cents=1',
  'most used at most 100 cents': 'sort=most_used&max_price_cents=100',
};

async function measure(lab: Lab): Promise<string> {
  const skills = lab.quick ? SKILLS / 100 : SKILLS;
  const { databaseUrl, skillId, consumer } = await lab.newWorld('b16');
  lab.log(`filling a market of ${skills} skills`);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  for (const statement of fillMarket(skills)) await client.query(statement);
  const { rows } = await client.query<{ word: string }>(
    `select ${wordOf('n')} as word from (select generate_series(4, 23) n union all select 4990) numbers order by n`,
  );
  const words = rows.map(({ word }) => word);
  lab.log('searching');
  const { origin, stop } = await lab.start('carnet', { databaseUrl, roles: { api: true, worker: false } });
  /** Milliseconds of a processor that the connections of the service have used: other work on the machine does not count. */
  const worked = async (): Promise<number> => {
    const { rows: backends } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    const used = backends.map(({ pid }) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6);
    return used.reduce((sum, ms) => sum + ms, 0);
  };
  const get = async (path: string): Promise<number> => {
    const startedAt = performance.now();
    const answer = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${consumer.key}` } });
    const body = await answer.text();
    if (answer.status !== 200) throw new Error(`GET ${path} was answered ${answer.status}: ${body}`);
    return performance.now() - startedAt;
  };
  const cells: string[][] = [];
  const read = async (what: string, path: string): Promise<void> => {
    const taken: number[] = [];
    // A statement that comes again is planned once by each connection.
    for (let nth = 0; nth < 10; nth += 1) await get(path);
    const from = await worked();
    for (let nth = 0; nth < READS; nth += 1) taken.push(await get(path));
    const work = ((await worked()) - from) / READS;
    const [median = 0, p95 = 0] = [0.5, 0.95].map((share) => quantile(taken, share));
    cells.push([
      what,
      work.toFixed(1),
      median.toFixed(1),
      p95.toFixed(1),
      `${GOAL_MS} ${p95 <= GOAL_MS ? 'reached' : 'missed'}`,
    ]);
  };
  for (const [what, query] of Object.entries(searches))
    await read(
      what,
      `/v1/skills?${query.replace('RARE', words.at(-1) ?? '').replace('TWENTY', words.slice(0, 20).join('%20'))}`,
    );
  await read('skills like one', `/v1/skills/${skillId}/similar`);
  await stop();
  await client.end();
  return table(
    [
      `GET /v1/skills of ${skills.toLocaleString('en-US')} skills, one caller; milliseconds`,
      'processor, Postgres',
      'answered, median',
      'p95',
      'goal, at most',
    ],
    cells,
  );
}

/** Measures the time of searches of a large market. */
export const b16: Bench = {
  title: 'B16: searches of the market',
  run: async (lab) => [await measure(lab), await floors(lab)],
};

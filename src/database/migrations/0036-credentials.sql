-- Keys of operators for providers of language models, by which model steps of skills are answered in the place of the platform's.
create table model_credentials (
  operator_id text not null references operators,
  provider text not null,               -- a slug of LLM_PROVIDERS when it was entered
  secret text not null,                 -- the key, sealed
  last_four text not null check (length(last_four) = 4), -- of the key, to tell it by
  label text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz,             -- to the minute
  primary key (operator_id, provider)
);

-- What a skill has taken of its seller's keys in a UTC month. A call that is under way counts at the most that it may cost.
create table seller_credential_use (
  skill_id text not null references skills,
  month date not null,
  calls bigint not null default 0 check (calls >= 0),
  cost_microcents bigint not null default 0 check (cost_microcents >= 0), -- by the price list of the platform
  primary key (skill_id, month)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100);

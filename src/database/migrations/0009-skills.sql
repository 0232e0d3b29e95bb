-- Skills: what is offered, what it executes, its earlier revisions, and what others think of it.

-- JSON Schemas, each text once, under its SHA-256: revisions share them, and compiled checkers are cached by the hash.
create table skill_schemas (
  hash bytea primary key,
  schema text not null
);

-- The words of a text as browse searches them: ASCII punctuation separates, so that `node.js` and `text-to-speech` are words.
create function search_words(p_text text) returns text language sql immutable strict parallel safe as $$
  select translate(p_text, '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', '                                ');
$$;

create table skills (
  id text primary key,
  operator_id text not null references operators,
  name text not null,
  status text not null check (status in ('active', 'suspended', 'unlisted', 'pending_review')),
  execution_mode text not null check (execution_mode in ('open', 'sealed', 'source')),
  trust_level_required text not null check (trust_level_required in ('L0', 'L1', 'L2')),
  price_per_invocation bigint not null check (price_per_invocation >= 0),   -- cents
  version text not null,
  revision int not null default 1,
  input_schema_hash bytea not null references skill_schemas,
  output_schema_hash bytea not null references skill_schemas,
  description text not null,
  tags text[] not null,
  agent_id text references agents,
  credential_mode text not null check (credential_mode in ('none', 'buyer_provides', 'seller_provides', 'both')),
  required_credentials text not null,                                        -- JSON
  seller_credential_limit text,                                              -- JSON
  accepts_requests boolean not null,
  executable boolean not null,          -- steps, a script or a model: something that a sealed or source skill can run
  review_status text not null check (review_status in ('exempt', 'pending', 'approved', 'rejected', 'taken_down')),
  rejection_reason text,
  reviewed_at timestamptz,
  approved_at timestamptz,              -- first time it was public; a suspended skill stays readable after that (decision K13)
  -- The schemas as the request board compares them, one entry a property (src/skills/matching/comparable-properties.ts).
  input_required text[] not null,
  output_declared text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Names word by word, descriptions by stem, and word by word again so that the beginning of a word being typed is found (decision K51).
  search tsvector not null generated always as (
    setweight(to_tsvector('simple', search_words(name)), 'A')
    || setweight(to_tsvector('english', search_words(description)), 'B')
    || setweight(to_tsvector('simple', search_words(description)), 'D')
  ) stored,
  constraint skills_operator_id_name_key unique (operator_id, name)
);
create index skills_newest on skills (created_at desc, id desc) include (trust_level_required, operator_id) where status = 'active';
create index skills_of_operator on skills (operator_id, id desc);
create index skills_in_review on skills (id desc) where status = 'pending_review';
create index skills_search on skills using gin (search);
create index skills_tags on skills using gin (tags);
create index skills_output_declared on skills using gin (output_declared);
create index skills_input_required on skills using gin (input_required);

-- What a skill executes: written once with the skill, read for one skill at a time by those who may see it (decision K12), never by a list.
create table skill_code (
  skill_id text primary key references skills,
  execution_steps text,                 -- JSON
  execution_script text,
  execution_runtime text,
  dependencies text,
  llm_enabled boolean,
  llm_provider text,
  llm_model text,
  llm_config text                       -- JSON
);

-- One row a change (decision K8). An invocation names (skill_id, revision): its schemas stay what they were.
create table skill_revisions (
  skill_id text not null references skills,
  revision int not null,
  version text not null,
  input_schema_hash bytea not null references skill_schemas,
  output_schema_hash bytea not null references skill_schemas,
  price_per_invocation bigint not null,
  created_at timestamptz not null default now(),
  primary key (skill_id, revision)
);
create index skill_revisions_by_version on skill_revisions (skill_id, version, revision desc);

-- What moves with every invocation and rating, narrow and with room on its page so that an update stays there.
create table skill_counts (
  skill_id text primary key references skills,
  invocation_count bigint not null default 0,   -- completed, not by the owner (decision K17)
  rated_1 int not null default 0,
  rated_2 int not null default 0,
  rated_3 int not null default 0,
  rated_4 int not null default 0,
  rated_5 int not null default 0,
  verified_count int not null default 0
) with (fillfactor = 50);

-- One rating an operator (decision K18).
create table skill_ratings (
  skill_id text not null references skills,
  operator_id text not null references operators,
  rating smallint not null check (rating between 1 and 5),
  verified boolean not null,
  invocation_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (skill_id, operator_id)
);

create table skill_favorites (
  operator_id text not null references operators,
  skill_id text not null references skills,
  position bigint generated always as identity,
  primary key (operator_id, skill_id)
);
create index skill_favorites_newest on skill_favorites (operator_id, position desc);

-- For other domains, which read views of skills and no tables.

-- What a call needs to know of a skill, and whether its owner may sell.
create view skill_offers as
  select s.id, s.operator_id, s.status, s.approved_at, s.execution_mode, s.trust_level_required, s.price_per_invocation, s.version, s.revision,
    o.status as owner_status
  from skills s join operator_standings o using (operator_id);
-- What can be invoked, listed or not (decision B17).
create view published_skills as select id, operator_id from skills where status in ('active', 'unlisted');
create view skill_names as select id, name from skills;

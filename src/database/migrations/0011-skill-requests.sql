-- The request board: skills that operators look for.
create table skill_requests (
  id text primary key,
  operator_id text not null references operators,
  description text not null,
  desired_input_schema text,            -- JSON, as posted
  desired_output_schema text,
  max_price_cents bigint check (max_price_cents >= 0),
  tags text[] not null,
  status text not null default 'open' check (status in ('open', 'closed', 'fulfilled')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index skill_requests_newest on skill_requests (created_at desc, id desc);
create index skill_requests_by_status on skill_requests (status, created_at desc, id desc);

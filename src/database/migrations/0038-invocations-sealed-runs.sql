-- Invocations that the service executes itself.
alter table invocations
  add column compute_bound_cents bigint not null default 0 check (compute_bound_cents >= 0), -- held for compute and models beside the price
  add column compute_cents bigint not null default 0 check (compute_cents >= 0),             -- charged for them at the end, rounded up
  add column trial boolean not null default false;                                          -- its owner tries a skill that is not public

-- The steps of an execution, each written before and after it runs.
create table sealed_steps (
  invocation_id text not null references invocations,
  step_index int not null check (step_index >= 0),
  id text not null unique,              -- of its machine run or model call
  kind text not null check (kind in ('script', 'llm')),
  status text not null check (status in ('running', 'done', 'failed')),
  attempt int not null default 1,
  began_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  key_source text not null default 'platform' check (key_source in ('platform', 'buyer', 'seller')), -- whose key the model was called with
  seller_month date,                    -- in which it counts against what the seller allows, and the most that it can cost there
  seller_most_microcents bigint,
  -- What it cost the platform, or whose key it was at the provider; null: it is under way, or nobody knows.
  cost_microcents bigint check (cost_microcents >= 0),
  duration_ms bigint check (duration_ms >= 0),
  model_call jsonb,                     -- columns of model_calls
  charged_microcents bigint not null default 0,
  output text,                          -- JSON, the input of the next step; gone when the execution has ended
  error_code text,
  error_message text,
  console text,                         -- of a failed script, for its owner
  primary key (invocation_id, step_index),
  constraint sealed_steps_end check ((status = 'running') = (ended_at is null))
) with (fillfactor = 70);

-- Executions of a consumer that wait or run, of which only some run at once.
create index invocations_executing on invocations (consumer_operator_id, status, id)
  where execution_mode <> 'open' and status in ('pending', 'processing');

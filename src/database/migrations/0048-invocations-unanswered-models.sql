-- Calls of models by the platform's key that gave no answer which could be used, by who invoked: they are charged to nobody, so an hour has a
-- bound of them.
create table unanswered_model_calls (
  operator_id text not null references operators,
  hour timestamptz not null,
  cents bigint not null check (cents > 0), -- what the runs of these calls can have cost at most
  primary key (operator_id, hour)
);

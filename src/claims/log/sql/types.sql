create type log_step as (
  status text,                           -- gone, idle, waiting, stopped
  tree_size bigint,
  published_size bigint
);

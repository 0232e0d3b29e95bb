create type subscription_step as (todo text, change_id text, status text, tier text, wait_ms bigint, until text);

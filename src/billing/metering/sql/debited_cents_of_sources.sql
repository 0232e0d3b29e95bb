-- The cents that left the wallet by the charges of these model calls and machine runs: a charge debits the cents that it completes in the
-- stream of its meter, so less than a cent debits none, or one that others began.
create function debited_cents_of_sources(p_sources text[]) returns bigint language sql stable as $$
  select coalesce(sum((begins_microcents + microcents) / 1000000 - begins_microcents / 1000000), 0)::bigint from (
    select begins_microcents, microcents from machine_runs where id = any (p_sources)
    union all
    select begins_microcents, microcents from model_calls where id = any (p_sources)) sources
  where begins_microcents is not null;
$$;

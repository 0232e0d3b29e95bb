-- Refuses what does not fit into what a seller allows a skill in a UTC month by their key: so many calls, and the most that they can cost.
-- `p_limit` is the skill's seller_credential_limit; what it leaves out, or null, is no limit.
create function refuse_seller_limit(p_skill text, p_limit jsonb, p_calls bigint, p_most_cost_microcents bigint) returns void
language plpgsql as $$
declare
  v_month constant date := utc_month(clock_timestamp());
  -- As numeric: a limit may have any number.
  v_most_calls constant numeric := (p_limit ->> 'max_calls')::numeric;
  v_most_cents constant numeric := (p_limit ->> 'max_cost_cents')::numeric;
  v_resets constant text := iso_time((v_month + interval '1 month') at time zone 'UTC');
  v_calls bigint; v_cost bigint;
begin
  select calls, cost_microcents into v_calls, v_cost from seller_credential_use where skill_id = p_skill and month = v_month;
  if coalesce(v_calls, 0) + p_calls > v_most_calls then
    perform refuse('SELLER_LIMIT_REACHED',
      format('The owner of the skill lets it call models by their key %s times a month, which are used; the next month begins at %s.', v_most_calls, v_resets),
      json_build_object('max_calls', v_most_calls, 'resets_at', v_resets));
  end if;
  if coalesce(v_cost, 0) + p_most_cost_microcents > v_most_cents * 1000000 then
    perform refuse('SELLER_LIMIT_REACHED',
      format('The owner of the skill lets it use %s cents a month of models by their key, and less is left than this may cost; the next month begins at %s.',
        v_most_cents, v_resets),
      json_build_object('max_cost_cents', v_most_cents, 'resets_at', v_resets));
  end if;
end $$;

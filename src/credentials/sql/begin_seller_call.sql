-- Takes a model call by the seller's key out of what the seller allows the skill in a UTC month: one call, and the most that it can cost by the
-- price list. `p_limit` is the skill's seller_credential_limit; what it leaves out, or null, is no limit. Returns the month, for `end_seller_call`. A
-- usage counter, so it comes before wallets (rule 12). Refuses 409 where it does not fit, and then nothing is taken.
create function begin_seller_call(p_skill text, p_limit jsonb, p_most_cost_microcents bigint) returns date language plpgsql as $$
declare
  v_month constant date := utc_month(clock_timestamp());
  -- As numeric: whatever numbers a limit has.
  v_most_calls constant numeric := (p_limit ->> 'max_calls')::numeric;
  v_most_cents constant numeric := (p_limit ->> 'max_cost_cents')::numeric;
  v_resets constant text := iso_time((v_month + interval '1 month') at time zone 'UTC');
  v_calls bigint;
begin
  insert into seller_credential_use (skill_id, month) values (p_skill, v_month) on conflict do nothing;
  update seller_credential_use set calls = calls + 1, cost_microcents = cost_microcents + p_most_cost_microcents
    where skill_id = p_skill and month = v_month
      and coalesce(calls + 1 <= v_most_calls, true)
      and coalesce(cost_microcents + p_most_cost_microcents <= v_most_cents * 1000000, true);
  if found then return v_month; end if;
  select calls into strict v_calls from seller_credential_use where skill_id = p_skill and month = v_month;
  if v_calls + 1 > v_most_calls then
    perform refuse('SELLER_LIMIT_REACHED',
      format('The owner of the skill lets it call models by their key %s times a month, which are used; the next month begins at %s.', v_most_calls, v_resets),
      json_build_object('max_calls', v_most_calls, 'resets_at', v_resets));
  end if;
  perform refuse('SELLER_LIMIT_REACHED',
    format('The owner of the skill lets it use %s cents a month of models by their key, and less is left than this call may cost; the next month begins at %s.',
      v_most_cents, v_resets),
    json_build_object('max_cost_cents', v_most_cents, 'resets_at', v_resets));
end $$;

-- Counts a metered action in the transaction that does it, so that what is refused or repeated counts nothing. Over the
-- allowance of the tier that the operator has now it costs 10,000 microcents; reports of agents are counted and never charged.
create function meter_action(p_operator text, p_action text) returns void language plpgsql as $$
declare
  v_month constant date := utc_month(clock_timestamp());
  v_charged boolean;
begin
  loop
    update usage_counters c set used = c.used + 1,
        overage = c.overage + coalesce(c.used >= t.metered_actions and p_action not in ('checkpoint', 'checkout'), false)::int,
        passports = c.passports + (p_action = 'passport')::int,
        invocations = c.invocations + (p_action = 'invocation')::int
      from operator_tiers t
      where t.operator_id = p_operator and c.operator_id = p_operator and c.meter = 'metered_action' and c.month = v_month
      returning c.used > t.metered_actions and p_action not in ('checkpoint', 'checkout') into v_charged;
    exit when found;
    insert into usage_counters (operator_id, meter, month) values (p_operator, 'metered_action', v_month) on conflict do nothing;
  end loop;
  if v_charged then perform charge_overage(p_operator); end if;
end $$;

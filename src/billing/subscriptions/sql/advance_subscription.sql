-- One step of the life of a subscription: returns what is to do next. What was given up is closed
-- first, so that there are never two pages to pay. `gone`: there is no such row. `end`: nothing runs, nothing is open.
create function advance_subscription(p_operator text) returns subscription_step language plpgsql as $$
declare s subscriptions; c subscription_changes; todo text;
begin
  perform begin_look('subscription:' || p_operator);
  select * into s from subscriptions where operator_id = p_operator for no key update;
  if not found then return row('gone', null, null, null, null, null)::subscription_step; end if;
  select * into c from subscription_changes where operator_id = p_operator and closing order by id limit 1;
  if not found then
    select * into c from subscription_changes where operator_id = p_operator and status in ('opening', 'waiting');
  end if;
  todo := case
    when c.closing then 'close'
    when c.status = 'opening' then 'open'
    when s.revision > s.pushed_revision then 'push'
    when s.next_call_at <= clock_timestamp() then 'fetch'
    when c.status = 'waiting' or s.status in ('active', 'past_due', 'unpaid') then 'wait'
    else 'end' end;
  -- A step at the provider is given up after a minute and decided on again.
  perform look_again('subscription:' || p_operator, p_operator,
    case todo when 'end' then null when 'wait' then s.next_call_at + interval '10 seconds' else clock_timestamp() + interval '2 minutes' end);
  return row(todo, c.id, s.status, coalesce(c.tier, s.tier),
    ms_until(s.next_call_at), iso_time(s.next_call_at))::subscription_step;
end $$;

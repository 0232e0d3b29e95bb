-- Why nothing is given back of an alarm, as the end of a sentence; null: something is.
create function why_not_given_back(a billing_alarms) returns text language sql stable as $$
  select case when a.kind <> 'refund_came_back' then 'it is about no refund that came back' end;
$$;

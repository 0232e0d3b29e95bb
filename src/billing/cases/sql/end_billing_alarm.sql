-- The provider has said what there is: nobody has to look any more. What was dismissed is over too, so that it is raised when it is so again.
create function end_billing_alarm(p_kind text, p_concerns text) returns void language sql as $$
  update billing_alarms set status = 'over', decided_at = clock_timestamp()
    where kind = p_kind and concerns = p_concerns and status in ('open', 'dismissed');
$$;

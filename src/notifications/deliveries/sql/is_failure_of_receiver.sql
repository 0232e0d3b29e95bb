-- Whether the outcome of a call counts against its destination: a webhook is called by the service itself, so all but faults of
-- the service and of its DNS is the receiver's. Mails and SMS go to a server or provider of the platform: only where that refused the address is it the receiver's.
create function is_failure_of_receiver(p_channel text, p_reason text) returns boolean language sql immutable as $$
  select case p_channel when 'webhook' then p_reason not in ('internal_error', 'dns_failed') else p_reason = 'refused' end;
$$;

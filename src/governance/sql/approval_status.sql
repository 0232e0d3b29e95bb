-- How an approval stands: an open one has expired when its time is over, when the credential that asked for it has ended, or when who gave it
-- may not give it any more.
create function approval_status(a governance_approvals) returns text language sql stable as $$
  select case
    when a.status = 'lapsed' then 'expired'
    when a.status not in ('pending', 'approved') then a.status
    when a.expires_at <= clock_timestamp() or not is_requester_there(a.operator_id, a.requested_by)
      or (a.status = 'approved' and not is_approver_there(a.operator_id, a.decided_by, false)) then 'expired'
    else a.status end;
$$;

-- Whether what an event is about still waits for a decision; true for events that are about none.
create function is_still_waiting(p_type text, p_payload json) returns boolean language sql stable as $$
  select case
    when p_type like 'approval.%' then exists (
      select from governance_approvals_shown where id = p_payload ->> 'approval_id' and status = 'pending')
    when p_type = 'review.pending' then is_review_pending(p_payload ->> 'checkout_id')
    else true end;
$$;

-- Counts a wrong code and leaves an audit event with each operator of the address, so that its people see who tries.
create function count_wrong_try(p_id bigint, p_own boolean, p_email text, p_request text) returns void language sql as $$
  update sign_in_codes set tries = tries + case when p_own then 1 else 0 end, open_tries = open_tries + case when p_own then 0 else 1 end
    where id = p_id;
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    select operator_id, 'sign-in', 'dashboard_session.refused', id, jsonb_build_object('requested_here', p_own), p_request
    from memberships where lower(email) = lower(p_email);
$$;

-- Ends the sessions that a browser had before it signed in again, of whichever members; returns their ids.
create function end_sessions(p_tokens bytea[], p_request text) returns setof text language sql as $$
  with ended as (
    delete from dashboard_sessions where token_hash = any(p_tokens) returning id, member_id, expires_at > clock_timestamp() as counted
  ), written as (
    insert into audit_events (operator_id, actor, action, target, detail, request_id)
      select m.operator_id, m.id, 'dashboard_session.ended', e.id, '{}', p_request
      from ended e join memberships m on m.id = e.member_id where e.counted
  )
  select id from ended;
$$;

-- Refuses what needs an invocation that nobody works on.
create function refuse_not_pending(i invocations) returns void language plpgsql as $$
begin
  perform refuse('INVOCATION_NOT_PENDING', format('The invocation is %s, not pending%s.', i.status,
    case i.status when 'processing' then '; somebody has claimed it' else '; it has ended' end),
    json_build_object('current_status', i.status));
end $$;

-- Refuses what needs an invocation that is claimed.
create function refuse_not_processing(i invocations) returns void language plpgsql as $$
begin
  perform refuse('INVOCATION_NOT_PROCESSING', format('The invocation is %s, not processing%s.', i.status,
    case i.status when 'pending' then '; claim it first' else '; it has ended' end),
    json_build_object('current_status', i.status));
end $$;

-- Brings the next look at the session of a lineage forward: ten seconds after a new one began, by when its life must have seen it;
-- otherwise half a minute after its next deadline. A look that comes too early finds that, and says when to look again.
create function look_at_lineage(l passport_lineages, p_new boolean) returns void language plpgsql as $$
declare v_at timestamptz := case when p_new then l.started_at + interval '10 seconds'
  else least(checkpoint_deadline(l), checkout_expected(l)) + interval '30 seconds' end;
begin
  if v_at is null or not is_accountable(l) then return; end if;
  update passport_sessions set look_at = v_at where id = l.session_id and (look_at is null or look_at > v_at);
end $$;

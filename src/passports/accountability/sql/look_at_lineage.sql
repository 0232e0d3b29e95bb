-- A deadline of a lineage that now comes earlier, or comes back, as a row of its own where no look is due by then. One that comes too early finds
-- that, and says when to look again. A new lineage has the message of the command that made it.
create function look_at_lineage(l passport_lineages, p_new boolean) returns void language plpgsql as $$
declare v_at timestamptz := least(checkpoint_deadline(l), checkout_expected(l)) + interval '1 second';
begin
  if p_new or v_at is null or not is_accountable(l) then return; end if;
  insert into lives (life, owner, due_at, ready)
    select 'session:' || l.session_id, l.operator_id, v_at, false
    where not exists (select from lives where life = 'session:' || l.session_id and due_at <= v_at);
end $$;

-- For a trigger that leaves messages for lives at the end of a transaction, when the command can count none any more: the process that commits
-- is notified (src/database/notices.ts), and delivers them as all others. Without it the sweep finds them two seconds later.
create function announce_messages() returns void language plpgsql as $$
begin
  raise notice 'carnet: messages left';
end $$;

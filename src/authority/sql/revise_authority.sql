-- Gives the operator's authority another revision, once a transaction; triggers call it (0007-authority.sql). It is the id of the transaction, so
-- that the revision of one that was rolled back never returns.
create function revise_authority(p_operator text) returns void language plpgsql as $$
begin
  insert into authority_revisions as r (operator_id, revision) values (p_operator, pg_current_xact_id()::text::bigint)
    on conflict (operator_id) do update set revision = excluded.revision where r.revision <> excluded.revision;
end $$;

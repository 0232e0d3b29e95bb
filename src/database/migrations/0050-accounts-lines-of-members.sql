-- Behind which credentials a member stands whom a credential invited: those that made it and itself, as in a key's line. It is kept with the
-- member, who stays when these are deleted. Null: nobody knows more than `invited_by`.
alter table members add column invited_line text[];

update members m set invited_line = k.line from key_families k where k.id = m.invited_by;

-- For other domains: the keys and members that there are, each with the credentials that it stands behind and itself at the end.
create view credential_lines as
  select id, operator_id, line, expires_at from key_families
  union all
  select id, operator_id, coalesce(invited_line, array_remove(array[invited_by], null)) || id, null from members where joined_at is not null;

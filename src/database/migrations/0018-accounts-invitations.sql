-- An invitation ends with the credential that made it, unless a person made or approved it.

alter table members add column invited_by text;  -- that credential; null: a person, or nobody knows it any more
create index members_invited_by on members (invited_by) where invited_by is not null and joined_at is null;

-- Of what was open before: the audit trail knows who invited, as long as it is kept.
update members m set invited_by = e.actor
from audit_events e
where m.joined_at is null and m.role = 'member'
  and e.operator_id = m.operator_id and e.action = 'member.invited' and e.target = m.id and e.actor not like 'mem\_%';

-- Nobody accepts what a credential that has ended, or is about to, invited to.
delete from members m
where m.joined_at is null
  and (m.invited_by like 'oauth:%' or m.invited_by like 'key\_%'
    and not exists (select from api_keys k where k.id = m.invited_by and k.expires_at is null));

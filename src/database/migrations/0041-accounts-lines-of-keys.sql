-- Behind which credentials a key stands: those that made it, the first one first and five at most, the grant or the agent whose key it is, and
-- the key itself. It is kept with each key, since a key between two may be deleted. Null: a release that kept the family alone has made it;
-- the view then has what that tells.
alter table api_keys add column line text[];

with recursive made as (
  select id, array_remove(array[nullif(family, id), case when created_by like 'key\_%' and created_by not in ('key_platform', family) then created_by end], null) as makers,
      coalesce(partner_grant_id, agent_id) as holder
    from api_keys k where family = id or not exists (select from api_keys m where m.id = k.created_by)
  union all
  select k.id, (made.makers || array_remove(array[made.holder, made.id], null))[1:5], coalesce(k.partner_grant_id, k.agent_id)
    from made join api_keys k on k.created_by = made.id and k.family <> k.id
)
update api_keys k set line = made.makers || array_remove(array[made.holder, k.id], null) from made where made.id = k.id;

create or replace view key_families as select id, operator_id, coalesce(family, id) as family, expires_at,
  coalesce(line, array_remove(array[nullif(family, id), partner_grant_id, agent_id, id], null)) as line
  from api_keys;

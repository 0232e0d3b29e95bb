-- Flags what a report itself shows: undeclared services, scopes, delegation, duration. `p_claims` are the passport's own claims, `p_report` its id.
create function flag_reported_faults(
  l passport_lineages, p_jti text, p_claims json, p_report text, p_services text[], p_calls json, p_delegated text[], p_moment timestamptz
) returns void language plpgsql as $$
declare
  intended constant json := p_claims -> 'intent_services';
  undeclared text[];
  beyond text[];
begin
  with declared as (
    select s ->> 'service_name' as name, s ->> 'service_id' as id, s ->> 'connection_id' as connection,
      array(select json_array_elements_text(s -> 'scopes')) as scopes
    from json_array_elements(p_claims -> 'services') as s
  ), intent as (
    select json_array_elements_text(intended) as name
  ), calls as (
    select distinct c ->> 'service' as service, c ->> 'method' as method from json_array_elements(p_calls) as c
  )
  select
    array(select used from (select unnest(p_services) as used union select service from calls) as u
      where not exists (select from declared d where used in (d.name, d.id)
        and (intended is null or exists (select from intent i where i.name in (d.name, d.id))))
      order by used),
    array(select service || ' ' || method from calls
      where exists (select from declared d where service in (d.name, d.id) and method = any (connection_scopes(d.connection)))
        and not exists (select from declared d where service in (d.name, d.id) and method = any (d.scopes))
      order by service, method)
    into undeclared, beyond;
  if undeclared <> '{}' then
    perform raise_flag(l, p_jti, 'undeclared_service', 'critical', p_report, 'Used without being declared: ' || first_few(undeclared), p_moment);
  end if;
  if beyond <> '{}' then
    perform raise_flag(l, p_jti, 'scope_violation', 'critical', p_report, 'Called beyond the scopes of the passport: ' || first_few(beyond),
      p_moment);
  end if;
  if l.intent is not null and coalesce((l.intent::json ->> 'will_delegate')::boolean, false) = false
      and (p_delegated <> '{}' or exists (select from passport_lineages where parent_lineage_id = l.id)) then
    perform raise_flag(l, p_jti, 'undeclared_delegation', 'warning', '', 'Delegated, though the intent does not say will_delegate.', p_moment);
  end if;
  if l.started_at + make_interval(secs => estimated_seconds(l)) < p_moment then
    perform raise_flag(l, p_jti, 'duration_exceeded', 'warning', '',
      format('Still at work after the estimated %s seconds.', estimated_seconds(l)), p_moment);
  end if;
end $$;

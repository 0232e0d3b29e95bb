-- Why nothing may be sent to a destination now, a word; null: it may.
create function hindrance_of(d destinations) returns text language sql stable as $$
  select case when (select suspended from operator_standings where operator_id = d.operator_id) then 'operator_suspended'
    when d.verified_at is null then 'destination_unverified'
    when d.disabled_at is not null then 'destination_disabled'
    when is_destination_paused(d.channel_type, (select tier from operator_tiers where operator_id = d.operator_id)) then 'destination_paused' end;
$$;

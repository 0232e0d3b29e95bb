-- Records a step of sealed execution and charges its machine time to sealed_execution, once an id; members of `p_run` are columns of
-- machine_runs, and `passport_id`. Returns the microcents charged. Refuses INSUFFICIENT_CREDITS, and then nothing is recorded.
create function record_machine_run(p_run jsonb) returns bigint language plpgsql as $$
declare r machine_runs := jsonb_populate_record(null::machine_runs, p_run); recorded bigint;
begin
  select microcents into recorded from machine_runs where id = r.id;
  if found then return recorded; end if;
  r.microcents := cost_with_fee(r.cost_microcents);
  r.skill_id := coalesce(r.skill_id, (select skill_id from invocation_references where id = r.invocation_id));
  r.mission_id := mission_of_charge(r.mission_id, r.invocation_id, p_run ->> 'passport_id');
  r.declared_purpose := purpose_of_charge(r.mission_id, p_run ->> 'passport_id');
  begin
    r.begins_microcents := charge_source(r.operator_id, 'sealed_execution', r.microcents, 'Sealed execution', r.skill_id, r.invocation_id);
    r.meter := case when r.begins_microcents is not null then 'sealed_execution' end;
    r.created_at := clock_timestamp();
    insert into machine_runs select r.*;
    return r.microcents;
  exception when unique_violation then
    return (select microcents from machine_runs where id = r.id);
  end;
end $$;

-- What a debit stands for: model calls, machine runs and other usage, each with its place in the stream of its meter. A charge takes
-- [begins, begins + microcents) of the stream, a debit [meter_from_cents, meter_from_cents + amount_cents) x 1,000,000 of it; a charge's share in a debit
-- is what the two have in common: first in, first out, exact, and nothing to allocate (decisions §4 "Money units").

-- What was charged before charges were recorded: there the streams begin for whoever explains them.
alter table wallet_remainders add column unrecorded_microcents bigint not null default 0;
update wallet_remainders set unrecorded_microcents = charged_microcents;

-- Model calls. No prompt and no response is kept, here or elsewhere (Billing §2.2 rule 3).
create table model_calls (
  id text primary key,
  operator_id text not null references operators,
  -- The place on the timeline, taken from the wallet while it is locked: after `position` transfers, the call-th call (decisions B18).
  position bigint not null,
  call bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  operation text not null,
  declared_purpose text,                 -- of the exact mission or passport (decisions B24)
  provider text not null,
  model text not null,
  prompt_tokens bigint not null check (prompt_tokens >= 0),
  completion_tokens bigint not null check (completion_tokens >= 0),
  total_tokens bigint not null check (total_tokens >= 0),
  cached_prompt_tokens bigint check (cached_prompt_tokens >= 0),
  streaming boolean not null,
  agent_id text,
  mission_id text,
  skill_id text,
  invocation_id text,
  sealed_step_index int check (sealed_step_index >= 0),
  price_state text not null check (price_state in ('wallet_price', 'included', 'covered', 'unavailable')),
  cost_microcents bigint check (cost_microcents >= 0), -- to the platform, or to the customer at the provider
  meter text check (meter in ('sealed_execution', 'llm_gateway', 'l3')),
  begins_microcents bigint,
  microcents bigint not null default 0,  -- charged
  constraint model_calls_place unique (operator_id, call),
  constraint model_calls_charged check ((meter is not null) = (microcents > 0) and (meter is null) = (begins_microcents is null)),
  constraint model_calls_price check (microcents = 0 or price_state = 'wallet_price'),
  constraint model_calls_cost check ((cost_microcents is null) = (price_state = 'unavailable'))
);
create unique index model_calls_of_meter on model_calls (operator_id, meter, begins_microcents) where meter is not null;
-- In the order of the timeline: calls that were charged, of which a page shows those that no debit has reached, and all others.
create index model_calls_charged_timeline on model_calls (operator_id, meter, call) where meter is not null;
create index model_calls_free_timeline on model_calls (operator_id, call) where meter is null;

-- Steps of sealed execution, as the machine ran them; failed invocations' too (Billing §2.2 rule 2).
create table machine_runs (
  id text primary key,
  operator_id text not null references operators,
  created_at timestamptz not null default clock_timestamp(),
  duration_ms bigint not null check (duration_ms >= 0),
  skill_id text,
  invocation_id text,
  sealed_step_index int check (sealed_step_index >= 0),
  cost_microcents bigint not null check (cost_microcents >= 0),
  meter text check (meter = 'sealed_execution'),
  begins_microcents bigint,
  microcents bigint not null default 0,
  constraint machine_runs_charged check ((meter is not null) = (microcents > 0) and (meter is null) = (begins_microcents is null))
);
create unique index machine_runs_of_meter on machine_runs (operator_id, meter, begins_microcents) where meter is not null;

-- Usage of which a statement says no more than its charge: the source is a row elsewhere, e.g. an identity claim.
create table usage_charges (
  source text primary key,
  operator_id text not null references operators,
  meter text not null,
  created_at timestamptz not null default clock_timestamp(),
  cost_microcents bigint not null check (cost_microcents >= 0),
  begins_microcents bigint,
  microcents bigint not null,
  constraint usage_charges_charged check ((begins_microcents is null) = (microcents = 0))
);
create unique index usage_charges_of_meter on usage_charges (operator_id, meter, begins_microcents) where begins_microcents is not null;

-- A cost with the fee of 15 %, rounded up, once a source row (decisions §4).
create function cost_with_fee(p_cost_microcents bigint) returns bigint language sql immutable as $$
  select (p_cost_microcents * 115 + 99) / 100;
$$;

-- The fee alone: of a model call that the provider bills to the customer's own key (Billing §8).
create function fee_of_cost(p_cost_microcents bigint) returns bigint language sql immutable as $$
  select (p_cost_microcents * 15 + 99) / 100;
$$;

-- Charges usage to its meter; what is debited names the work whose charge completed the cent. Refuses 402 where the wallet does not
-- cover it, remainders included (decisions B5). Returns where the charge begins in the stream; null: there is nothing to charge.
create function charge_source(p_operator text, p_meter text, p_microcents bigint, p_description text, p_skill text, p_invocation text)
returns bigint language plpgsql as $$
declare begins bigint; available bigint; owed bigint; open bigint;
begin
  if p_microcents = 0 then return null; end if;
  if covers_charge(p_operator, p_microcents) then
    begins := charge_meter(new_prefixed_id('txn'), p_operator, p_meter, p_microcents,
      case p_meter when 'sealed_execution' then 'compute' when 'llm_gateway' then 'compute' when 'identity' then 'identity' else 'overage' end,
      p_description, p_skill, p_invocation);
    if begins is not null then return begins; end if; -- else a rival spent it in between
  end if;
  select posted_cents - held_cents, receivable_cents into strict available, owed from wallets where operator_id = p_operator;
  select coalesce(sum(charged_microcents - debited_cents * 1000000), 0) into open from wallet_remainders where operator_id = p_operator;
  if owed > 0 then perform refuse_owing((open + p_microcents + 999999) / 1000000, available, owed); end if;
  perform refuse_uncovered((open + p_microcents + 999999) / 1000000, available);
end $$;

-- Charges what cost the platform `p_cost_microcents`, with the fee, once a source: the row elsewhere that caused it. Returns the
-- microcents charged, the first time's when it was done before. Refuses 402, and then nothing is recorded.
create function charge_usage(p_source text, p_operator text, p_meter text, p_cost_microcents bigint, p_description text)
returns bigint language plpgsql as $$
declare charge bigint := cost_with_fee(p_cost_microcents); recorded bigint; begins bigint;
begin
  select microcents into recorded from usage_charges where source = p_source;
  if found then return recorded; end if;
  begin
    begins := charge_source(p_operator, p_meter, charge, p_description, null, null); -- created_at comes after its lock
    insert into usage_charges (source, operator_id, meter, cost_microcents, begins_microcents, microcents)
      values (p_source, p_operator, p_meter, p_cost_microcents, begins, charge);
    return charge;
  exception when unique_violation then -- a rival recorded it meanwhile; our charge is undone
    return (select microcents from usage_charges where source = p_source);
  end;
end $$;

-- Records a model call and charges it, once an id; members of `p_call` are columns of model_calls, and `passport_id`. A call of
-- price state wallet_price is charged to its `meter`: what it cost with the fee, or with llm_gateway the fee alone. Returns the microcents
-- charged. Refuses 402, and then nothing is recorded.
create function record_model_call(p_call jsonb) returns bigint language plpgsql as $$
declare c model_calls := jsonb_populate_record(null::model_calls, p_call); recorded bigint;
begin
  select microcents into recorded from model_calls where id = c.id;
  if found then return recorded; end if;
  c.microcents := case when c.price_state <> 'wallet_price' then 0 when c.meter = 'llm_gateway' then fee_of_cost(c.cost_microcents)
    else cost_with_fee(c.cost_microcents) end;
  c.skill_id := coalesce(c.skill_id, (select skill_id from invocation_references where id = c.invocation_id));
  c.mission_id := coalesce(c.mission_id, (select mission_id from invocation_references where id = c.invocation_id),
    (select mission_id from passport_purposes where jti = p_call ->> 'passport_id'));
  c.declared_purpose := coalesce((select declared_intent from mission_intents where id = c.mission_id),
    (select summary from passport_purposes where jti = p_call ->> 'passport_id'));
  begin
    c.begins_microcents := charge_source(c.operator_id, c.meter, c.microcents,
      case c.meter when 'llm_gateway' then 'Model calls with your own key: gateway fee' when 'l3' then 'Injection classification'
        else 'Sealed execution' end, c.skill_id, c.invocation_id);
    if c.begins_microcents is null then c.meter := null; end if;
    -- The wallet comes last: with its row locked nobody takes a place or an earlier time in between.
    update wallets set last_call = last_call + 1 where operator_id = c.operator_id returning last_position, last_call into strict c.position, c.call;
    c.created_at := clock_timestamp();
    insert into model_calls select c.*;
    return c.microcents;
  exception when unique_violation then -- a rival recorded it meanwhile; our charge and place are undone
    return (select microcents from model_calls where id = c.id);
  end;
end $$;

-- Records a step of sealed execution and charges its machine time to sealed_execution, once an id; members of `p_run` are columns of
-- machine_runs. Returns the microcents charged. Refuses 402, and then nothing is recorded.
create function record_machine_run(p_run jsonb) returns bigint language plpgsql as $$
declare r machine_runs := jsonb_populate_record(null::machine_runs, p_run); recorded bigint;
begin
  select microcents into recorded from machine_runs where id = r.id;
  if found then return recorded; end if;
  r.microcents := cost_with_fee(r.cost_microcents);
  r.skill_id := coalesce(r.skill_id, (select skill_id from invocation_references where id = r.invocation_id));
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

-- Transfers of a wallet before an instant: all up to a position, since times follow positions. Twenty look-ups find it among a million.
create function transfers_before(p_operator text, p_instant timestamptz) returns bigint language plpgsql stable as $$
declare low bigint := 0; high bigint; middle bigint;
begin
  select last_position into strict high from wallets where operator_id = p_operator;
  while low < high loop
    middle := (low + high + 1) / 2;
    if (select created_at from transfers where wallet = p_operator and position = middle) < p_instant then low := middle; else high := middle - 1; end if;
  end loop;
  return low;
end $$;

-- The same of model calls.
create function calls_before(p_operator text, p_instant timestamptz) returns bigint language plpgsql stable as $$
declare low bigint := 0; high bigint; middle bigint;
begin
  select last_call into strict high from wallets where operator_id = p_operator;
  while low < high loop
    middle := (low + high + 1) / 2;
    if (select created_at from model_calls where operator_id = p_operator and call = middle) < p_instant then low := middle; else high := middle - 1; end if;
  end loop;
  return low;
end $$;

-- Rows of one type, however rare among the others.
create index transfers_of_kind on transfers (wallet, kind, position) where wallet is not null;

-- A text as a field of RFC 4180. Spreadsheets run a text that begins with = + - @, tab or carriage return as a formula: an apostrophe
-- before it says that it is none.
create function csv_text(p_text text) returns text language sql immutable as $$
  select coalesce('"' || replace(case when p_text ~ '^[=+@\t\r-]' then '''' || p_text else p_text end, '"', '""') || '"', '');
$$;

-- Which charges overlap the microcents from p_from to p_to in the stream of a meter: of those that begin before it only the last can reach
-- into it, so the index gives the range from that one on.
create function calls_of_debit(p_wallet text, p_meter text, p_from bigint, p_to bigint) returns setof model_calls language sql stable as $$
  select c.* from model_calls c
  where c.operator_id = p_wallet and c.meter = p_meter and c.begins_microcents < p_to and c.begins_microcents + c.microcents > p_from
    and c.begins_microcents >= coalesce((select max(b.begins_microcents) from model_calls b
      where b.operator_id = p_wallet and b.meter = p_meter and b.begins_microcents <= p_from), 0);
$$;
create function runs_of_debit(p_wallet text, p_meter text, p_from bigint, p_to bigint) returns setof machine_runs language sql stable as $$
  select c.* from machine_runs c
  where c.operator_id = p_wallet and c.meter = p_meter and c.begins_microcents < p_to and c.begins_microcents + c.microcents > p_from
    and c.begins_microcents >= coalesce((select max(b.begins_microcents) from machine_runs b
      where b.operator_id = p_wallet and b.meter = p_meter and b.begins_microcents <= p_from), 0);
$$;

-- The sources of a debit as the end of its details. Ids are looked up one by one: joined, whole tables of names would be read.
create function debit_sources_text(p_wallet text, p_meter text, p_from_cents bigint, p_cents bigint) returns text language plpgsql stable as $$
declare
  v_from constant bigint := p_from_cents * 1000000;
  v_to constant bigint := (p_from_cents + p_cents) * 1000000;
  v_calls text;
  v_runs text;
  v_of_calls numeric;
  v_of_runs numeric;
begin
  select sum(least(c.begins_microcents + c.microcents, v_to) - greatest(c.begins_microcents, v_from)),
      string_agg('{"id":"' || c.id || '","created_at":"' || iso_time(c.created_at)
        || '","operation":' || to_json(c.operation)::text || ',"declared_purpose":' || jcs_text(c.declared_purpose)
        || ',"provider":' || to_json(c.provider)::text || ',"model":' || to_json(c.model)::text
        || ',"prompt_tokens":' || c.prompt_tokens || ',"completion_tokens":' || c.completion_tokens || ',"total_tokens":' || c.total_tokens
        || ',"cached_prompt_tokens":' || coalesce(c.cached_prompt_tokens::text, 'null') || ',"streaming":' || c.streaming::text
        || ',"allocated_microcents":' || least(c.begins_microcents + c.microcents, v_to) - greatest(c.begins_microcents, v_from)
        || ',"agent":' || coalesce((select '{"id":"' || a.id || '","name":' || to_json(a.name)::text || '}' from agent_names a where a.id = c.agent_id), 'null')
        || ',"mission":' || coalesce((select '{"id":"' || m.id || '","declared_intent":' || to_json(m.declared_intent)::text || '}'
          from mission_intents m where m.id = c.mission_id), 'null')
        || ',"skill":' || coalesce((select '{"id":"' || s.id || '","name":' || to_json(s.name)::text || '}' from skill_names s where s.id = c.skill_id), 'null')
        || ',"invocation":' || coalesce((select '{"id":"' || i.id || '","status":"' || i.status || '"}'
          from invocation_references i where i.id = c.invocation_id), 'null')
        || ',"sealed_step_index":' || coalesce(c.sealed_step_index::text, 'null') || '}', ',' order by c.begins_microcents)
    into v_of_calls, v_calls
    from calls_of_debit(p_wallet, p_meter, v_from, v_to) c;
  select sum(least(c.begins_microcents + c.microcents, v_to) - greatest(c.begins_microcents, v_from)),
      string_agg('{"id":"' || c.id || '","created_at":"' || iso_time(c.created_at) || '","duration_ms":' || c.duration_ms
        || ',"allocated_microcents":' || least(c.begins_microcents + c.microcents, v_to) - greatest(c.begins_microcents, v_from)
        || ',"skill":' || coalesce((select '{"id":"' || s.id || '","name":' || to_json(s.name)::text || '}' from skill_names s where s.id = c.skill_id), 'null')
        || ',"invocation":' || coalesce((select '{"id":"' || i.id || '","status":"' || i.status || '"}'
          from invocation_references i where i.id = c.invocation_id), 'null')
        || ',"sealed_step_index":' || coalesce(c.sealed_step_index::text, 'null') || '}', ',' order by c.begins_microcents)
    into v_of_runs, v_runs
    from runs_of_debit(p_wallet, p_meter, v_from, v_to) c;
  -- Nothing is inferred: a debit is recorded when its sources make up the whole of it (Billing §2.2 rule 3).
  return ',"llm_sources":[' || coalesce(v_calls, '') || '],"machine_sources":[' || coalesce(v_runs, '')
    || '],"machine_cost_microcents":' || case when v_calls is null and v_runs is null then 'null' else coalesce(v_of_runs, 0)::text end
    || ',"source_status":"' || case when coalesce(v_of_calls, 0) + coalesce(v_of_runs, 0) = p_cents * 1000000 then 'recorded' else 'not_recorded' end || '"}';
end $$;

-- How many sources a debit shows; what is beyond p_most of either kind is not counted.
create function count_debit_sources(p_wallet text, p_meter text, p_from_cents bigint, p_cents bigint, p_most int) returns bigint language plpgsql stable as $$
declare
  v_from constant bigint := p_from_cents * 1000000;
  v_to constant bigint := (p_from_cents + p_cents) * 1000000;
begin
  return (select count(*) from (
    (select from calls_of_debit(p_wallet, p_meter, v_from, v_to) limit p_most)
    union all
    (select from runs_of_debit(p_wallet, p_meter, v_from, v_to) limit p_most)) sources);
end $$;

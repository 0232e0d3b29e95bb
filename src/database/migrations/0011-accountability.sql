-- What agents of accountability logged and enforced owe: checkpoints, a checkout, and after it a person's review (Market §3.4);
-- the flags raised on the way and the events that tell of them. Rows decide: a command and the life of a session raise what
-- is due by the same function, under the lock of the lineage, so each flag is raised once, whoever comes first.

create table checkpoints (
  id text primary key,
  lineage_id text not null,
  jti text not null,
  sequence int not null,
  services_used text[] not null,
  tool_calls text not null,              -- JSON
  actions_count double precision not null,
  delegated_to text[] not null,
  summary text,
  submitted_at timestamptz not null,
  claim_id text not null,
  constraint checkpoints_in_order unique (lineage_id, sequence)
);

-- One a lineage: the agent's last word, or that it never came, and what a person thinks of it.
create table checkouts (
  id text primary key,
  lineage_id text not null unique,
  session_id text not null,
  operator_id text not null,
  agent_id text not null,
  jti text not null,
  missed boolean not null,               -- it did not come in time
  services_used text[],
  tool_calls text,
  actions_count double precision,
  delegated_to text[],
  summary text,
  submitted_at timestamptz,              -- null: it has not come at all
  claim_id text,
  created_at timestamptz not null,
  review_status text check (review_status in ('pending', 'approved', 'blocked')), -- null: nobody reviews (logged)
  risk text check (risk in ('clean', 'flagged', 'critical')),
  notes text,
  block_future boolean not null default false,
  revoked_count int not null default 0,
  decided_at timestamptz,
  constraint checkouts_reported check ((submitted_at is null) = (claim_id is null) and (submitted_at is not null or missed)),
  constraint checkouts_reviewed check ((review_status is null) = (risk is null)),
  constraint checkouts_decided check (coalesce(review_status in ('approved', 'blocked'), false) = (decided_at is not null))
);
create index checkouts_to_review on checkouts (operator_id, id) where review_status is not null;
create index checkouts_holding on checkouts (agent_id) where review_status = 'pending' and risk = 'critical';
create index checkouts_pending on checkouts (session_id) where review_status = 'pending';

-- `occasion` is what it is raised for at most once: the time a checkpoint was due, the report that showed it, '' for the lineage.
create table passport_flags (
  id bigint generated always as identity primary key,
  lineage_id text not null,
  jti text not null,
  type text not null check (type in ('undeclared_service', 'scope_violation', 'undeclared_delegation', 'late_checkpoint',
    'missed_checkpoint', 'duration_exceeded', 'missed_checkout')),
  severity text not null check (severity in ('warning', 'critical')),
  occasion text not null,
  message text not null,
  raised_at timestamptz not null,
  constraint passport_flags_once unique (lineage_id, type, occasion)
);

-- What operators are notified of (Billing §6), committed with what it tells.
create table service_events (
  seq bigint generated always as identity primary key, -- their order, which ids made in one millisecond do not have
  id text not null unique,
  operator_id text not null,
  event_type text not null check (event_type in ('passport.flagged', 'passport.blocked', 'agent.blocked', 'passport.missed_checkout')),
  severity text not null check (severity in ('info', 'warning', 'critical')),
  payload text not null,                 -- JSON
  created_at timestamptz not null default clock_timestamp()
);
create index service_events_of_operator on service_events (operator_id, seq);

-- Lineages that still owe something. Neither times nor counts are in it, so a checkpoint writes to no index.
create index passport_lineages_accounted on passport_lineages (id)
  where accountability <> 'standard' and checked_out_at is null and checkout_missed_at is null and revoked_at is null;

create function record_event(p_operator text, p_type text, p_severity text, p_payload json) returns void language sql as $$
  insert into service_events (id, operator_id, event_type, severity, payload)
    values (new_prefixed_id('evt'), p_operator, p_type, p_severity, p_payload::text);
$$;

-- A list of texts as RFC 8785 writes it.
create function jcs_texts(p_values text[]) returns text language sql immutable parallel safe as $$
  select '[' || coalesce(string_agg(jcs_text(value), ',' order by at), '') || ']' from unnest(p_values) with ordinality as v (value, at);
$$;

-- The hold: a critical review that nobody has decided (decisions A30).
create function agent_held(p_agent text) returns boolean language sql stable as $$
  select exists (select from checkouts where agent_id = p_agent and review_status = 'pending' and risk = 'critical');
$$;

-- What the intent says, where one was given.
create function estimated_seconds(l passport_lineages) returns double precision language sql stable as $$
  select (l.intent::json ->> 'estimated_duration_seconds')::double precision;
$$;

-- Whether it still has something to report. A revocation ends all timers.
create function is_accountable(l passport_lineages) returns boolean language sql stable as $$
  select l.accountability <> 'standard' and l.checked_out_at is null and l.checkout_missed_at is null and l.revoked_at is null;
$$;

-- When the checkpoint that is due counts as missed: 25 % of the interval after it, from 30 s to 300 s (decisions A23). Null where
-- none is awaited: a deadline past the last expiry is not kept, and a refresh brings it back.
create function checkpoint_deadline(l passport_lineages) returns timestamptz language sql stable as $$
  select case when is_accountable(l)
      and l.next_checkpoint_due_at + make_interval(secs => greatest(30, least(300, l.checkpoint_interval_seconds * 0.25))) <= l.latest_expiry
    then l.next_checkpoint_due_at + make_interval(secs => greatest(30, least(300, l.checkpoint_interval_seconds * 0.25))) end;
$$;

-- Until when the checkout is expected (decisions A38); it counts as missed `p_grace` seconds later. Null: it is not awaited.
create function checkout_expected(l passport_lineages) returns timestamptz language sql stable as $$
  select case when is_accountable(l) then greatest(l.latest_expiry, l.started_at + make_interval(secs => estimated_seconds(l))) end;
$$;

create function checkout_deadline(l passport_lineages, p_grace double precision) returns timestamptz language sql stable as $$
  select checkout_expected(l) + make_interval(secs => p_grace);
$$;

create function next_deadline(l passport_lineages, p_grace double precision) returns timestamptz language sql stable as $$
  select least(checkpoint_deadline(l), checkout_deadline(l, p_grace));
$$;

create function subject_of_passport(p_jti text) returns text language sql immutable parallel safe as $$
  select 'carnet://passport/' || p_jti;
$$;

-- The mission of a claim: the passport's only one, as with charges (decisions B24).
create function only_mission(l passport_lineages) returns text language sql stable as $$
  select case when cardinality(l.mission_ids) = 1 then l.mission_ids[1] end;
$$;

-- `,"mission_ref":"ms_…"` where there is one.
create function jcs_mission(l passport_lineages) returns text language sql stable as $$
  select case when cardinality(l.mission_ids) = 1 then ',"mission_ref":' || jcs_text(l.mission_ids[1]) else '' end;
$$;

create function flag_json(f passport_flags) returns json language sql stable as $$
  select json_build_object('type', f.type, 'severity', f.severity, 'message', f.message, 'raised_at', iso_time(f.raised_at), 'jti', f.jti);
$$;

-- The flags of a lineage raised after a moment, in order.
create function flags_json(p_lineage text, p_after timestamptz default '-infinity') returns json language sql stable as $$
  select coalesce(json_agg(flag_json(f) order by f.id), '[]') from passport_flags f where f.lineage_id = p_lineage and f.raised_at > p_after;
$$;

-- Raises a flag unless it was raised before, with its claim (Claims §2.13), which vouches for nothing and so outlives a revocation.
-- The caller holds the lineage.
create function raise_flag(
  l passport_lineages, p_jti text, p_type text, p_severity text, p_occasion text, p_message text, p_moment timestamptz
) returns void language plpgsql as $$
begin
  insert into passport_flags (lineage_id, jti, type, severity, occasion, message, raised_at)
    values (l.id, p_jti, p_type, p_severity, p_occasion, p_message, p_moment)
    on conflict on constraint passport_flags_once do nothing;
  if not found then return; end if;
  insert into audit_events (operator_id, actor, action, target, detail)
    values (l.operator_id, 'service', 'passport.flagged', p_jti, jsonb_build_object('type', p_type, 'severity', p_severity));
  perform issue_claim('detector_signal', subject_of_passport(p_jti),
    '{"agent_id":' || jcs_text(l.agent_id) || ',"detected_at":' || floor(extract(epoch from p_moment))
      || ',"detector_key":' || jcs_text(p_type)
      || ',"metadata":{"occasion":' || jcs_text(p_occasion) || ',"session_id":' || jcs_text(l.session_id) || '}' || jcs_mission(l)
      || ',"pipeline":"heuristic","severity":' || jcs_text(case p_severity when 'critical' then 'critical' else 'medium' end)
      || ',"type":"detector_signal"}',
    l.agent_id, only_mission(l), array[l.operator_id]);
end $$;

create function last_flag(p_lineage text) returns bigint language sql stable as $$
  select coalesce(max(id), 0) from passport_flags where lineage_id = p_lineage;
$$;

-- One event for the flags raised since `p_after`. A missed checkout has an event of its own.
create function announce_flags(l passport_lineages, p_jti text, p_after bigint) returns void language sql as $$
  select record_event(l.operator_id, 'passport.flagged', min(severity), json_build_object('jti', p_jti, 'agent_id', l.agent_id,
    'flags', json_agg(json_build_object('type', type, 'severity', severity, 'message', message) order by id)))
  from passport_flags where lineage_id = l.id and id > p_after and type <> 'missed_checkout'
  having count(*) > 0;
$$;

-- Raises what is past its deadline by `p_moment`, which is clock_timestamp() read after the lineage was locked (architecture rule
-- 6). After a miss the next checkpoint is due an interval after the missed one. Returns the lineage as it is then.
create function raise_due(l passport_lineages, p_moment timestamptz, p_grace double precision)
returns passport_lineages language plpgsql as $$
declare
  severity constant text := case l.accountability when 'enforced' then 'critical' else 'warning' end;
  flagged constant bigint := last_flag(l.id);
  member text;
  expected timestamptz;
begin
  if next_deadline(l, p_grace) > p_moment is not false then return l; end if;
  select max(jti) into member from passports where lineage_id = l.id;
  while checkpoint_deadline(l) <= p_moment loop
    perform raise_flag(l, member, 'missed_checkpoint', severity, iso_time(l.next_checkpoint_due_at),
      format('No checkpoint came that was due at %s.', iso_time(l.next_checkpoint_due_at)), p_moment);
    l.next_checkpoint_due_at := l.next_checkpoint_due_at + make_interval(secs => l.checkpoint_interval_seconds);
  end loop;
  if checkout_deadline(l, p_grace) <= p_moment then
    expected := checkout_expected(l);
    perform raise_flag(l, member, 'missed_checkout', severity, '', format('No checkout came that was expected by %s.', iso_time(expected)),
      p_moment);
    perform record_event(l.operator_id, 'passport.missed_checkout', severity,
      json_build_object('jti', member, 'agent_id', l.agent_id, 'expected_by', iso_time(expected)));
    if l.accountability = 'enforced' then
      insert into checkouts (id, lineage_id, session_id, operator_id, agent_id, jti, missed, created_at, review_status, risk)
        values (new_prefixed_id('chko'), l.id, l.session_id, l.operator_id, l.agent_id, member, true, p_moment, 'pending', 'critical');
    end if;
    l.checkout_missed_at := p_moment;
    l.next_checkpoint_due_at := null;
  end if;
  update passport_lineages set next_checkpoint_due_at = l.next_checkpoint_due_at, checkout_missed_at = l.checkout_missed_at where id = l.id;
  perform announce_flags(l, member, flagged);
  return l;
end $$;

-- What a report itself shows (decisions A24, A25). `p_claims` are the passport's own claims, `p_report` its id.
create function raise_reported(
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

-- `a, b, c.`; of more than five the rest is counted.
create function first_few(p_names text[]) returns text language sql immutable parallel safe as $$
  select array_to_string(p_names[:5], ', ') || case when cardinality(p_names) > 5 then format(' and %s more', cardinality(p_names) - 5) else '' end
    || '.';
$$;

-- The claim of a report (Claims §2.18). A checkout has no chk_ id: its claim names it as the chk_ of the same ULID.
create function claim_report(
  l passport_lineages, p_jti text, p_report text, p_services text[], p_actions double precision, p_delegated text[], p_summary text,
  p_moment timestamptz
) returns text language sql as $$
  select issue_claim('checkpoint_approval', subject_of_passport(p_jti),
    '{"actions_count":' || floor(p_actions)::bigint || ',"checkpoint_id":' || jcs_text('chk_' || split_part(p_report, '_', 2))
      || ',"delegated_to":' || jcs_texts(p_delegated) || ',"has_summary":' || (p_summary is not null)
      || ',"interval_seconds":' || coalesce(floor(l.checkpoint_interval_seconds)::text, 'null') || jcs_mission(l)
      || ',"services_used":' || jcs_texts(p_services) || ',"submitted_at":' || floor(extract(epoch from p_moment))
      || ',"submitted_by":' || jcs_text(l.agent_id) || ',"type":"checkpoint_approval"}',
    l.agent_id, only_mission(l), array[l.operator_id], p_jti);
$$;

-- Locks the lineage of a passport for a report of its agent.
create function lock_lineage_to_report(p_operator text, p_passport passports) returns passport_lineages language plpgsql as $$
declare l passport_lineages;
begin
  if p_passport.operator_id is distinct from p_operator then
    perform refuse('NOT_FOUND', 'There is no such passport, or this credential may not see it.');
  end if;
  select * into strict l from passport_lineages where id = p_passport.lineage_id for no key update;
  if l.accountability = 'standard' then
    perform refuse('ACCOUNTABILITY_MODE',
      'The passport is of accountability standard, which has neither checkpoints nor checkout; make the agent logged or enforced and issue again.');
  end if;
  return l;
end $$;

-- Asked by refresh and delegate too (decisions A16).
create function refuse_checked_out(l passport_lineages) returns void language plpgsql as $$
begin
  if l.checked_out_at is not null then
    perform refuse('ALREADY_CHECKED_OUT',
      format('It was checked out at %s and runs to its end; new work needs a new passport.', iso_time(l.checked_out_at)),
      json_build_object('checked_out_at', iso_time(l.checked_out_at)));
  end if;
end $$;

create function checkpoint_json(c checkpoints) returns json language sql stable as $$
  select json_build_object('id', c.id, 'jti', c.jti, 'sequence', c.sequence, 'services_used', c.services_used,
    'tool_calls', c.tool_calls::json, 'actions_count', c.actions_count, 'delegated_to', c.delegated_to, 'summary', c.summary,
    'submitted_at', iso_time(c.submitted_at), 'claim_id', c.claim_id);
$$;

create function checkout_json(c checkouts) returns json language sql stable as $$
  select json_build_object('id', c.id, 'jti', c.jti, 'late', c.missed, 'services_used', c.services_used,
    'tool_calls', c.tool_calls::json, 'actions_count', c.actions_count, 'delegated_to', c.delegated_to, 'summary', c.summary,
    'submitted_at', iso_time(c.submitted_at), 'claim_id', c.claim_id);
$$;

create function review_json(c checkouts) returns json language sql stable as $$
  select json_build_object('checkout_id', c.id, 'jti', c.jti, 'agent_id', c.agent_id, 'status', c.review_status, 'risk', c.risk,
    'missed', c.missed, 'flags', flags_json(c.lineage_id), 'notes', c.notes, 'created_at', iso_time(c.created_at),
    'decided_at', iso_time(c.decided_at));
$$;

create type report_answer as (
  replayed boolean,
  answer text,                           -- JSON, as it is kept under the Idempotency-Key
  messages int
);

-- Records a checkpoint: it counts for the whole lineage, and by the moment at which it holds the lineage, whenever the life
-- hears of it. `p_claim` is the member of the token that holds our claims. The answer's flags are those raised since the
-- checkpoint before.
create function record_checkpoint(
  p_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_id text, p_jti text, p_claim text, p_grace double precision,
  p_services text[], p_calls text, p_actions double precision, p_delegated text[], p_summary text
) returns report_answer language plpgsql as $$
declare
  stored idempotency_keys;
  p passports;
  l passport_lineages;
  made checkpoints;
  flagged bigint;
  before timestamptz;
  moment timestamptz;
  answer text;
begin
  stored := take_idempotency_key(p_operator, p_agent_part, p_key, p_fingerprint);
  if stored.status is not null then return row(true, stored.answer, 0)::report_answer; end if;
  select * into p from passports where jti = p_jti;
  l := lock_lineage_to_report(p_operator, p);
  moment := clock_timestamp();
  if l.revoked_at is not null then
    perform refuse('PASSPORT_REVOKED', format('The passport was revoked at %s.', iso_time(l.revoked_at)));
  end if;
  if p.expires_at <= moment then
    perform refuse('PASSPORT_EXPIRED', format('The passport expired at %s.', iso_time(p.expires_at)));
  end if;
  perform refuse_checked_out(l);

  before := coalesce(l.last_checkpoint_at, '-infinity');
  l := raise_due(l, moment, p_grace);
  flagged := last_flag(l.id);
  if l.next_checkpoint_due_at < moment then
    perform raise_flag(l, p_jti, 'late_checkpoint', 'warning', p_id,
      format('Checkpoint %s was due at %s.', l.checkpoint_count + 1, iso_time(l.next_checkpoint_due_at)), moment);
  end if;
  perform raise_reported(l, p_jti, p.payload::json -> p_claim, p_id, p_services, p_calls::json, p_delegated, moment);
  insert into checkpoints (id, lineage_id, jti, sequence, services_used, tool_calls, actions_count, delegated_to, summary, submitted_at, claim_id)
    values (p_id, l.id, p_jti, l.checkpoint_count + 1, p_services, p_calls, p_actions, p_delegated, p_summary, moment,
      claim_report(l, p_jti, p_id, p_services, p_actions, p_delegated, p_summary, moment))
    returning * into made;
  update passport_lineages set checkpoint_count = made.sequence, last_checkpoint_at = moment,
      next_checkpoint_due_at = moment + make_interval(secs => checkpoint_interval_seconds)
    where id = l.id returning * into l;
  perform announce_flags(l, p_jti, flagged);
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passport.checkpointed', p_jti, jsonb_build_object('checkpoint_id', p_id), p_request);
  perform wake_life('session:' || l.session_id, 'checkpointed');
  answer := json_build_object('checkpoint', checkpoint_json(made), 'flags', flags_json(l.id, before),
    'next_checkpoint_due_at', iso_time(l.next_checkpoint_due_at));
  perform keep_answer(p_operator, p_agent_part, p_key, 201, answer, '/v1/passports/' || p_jti || '/report');
  return row(false, answer, 1)::report_answer;
end $$;

-- Records the checkout of a lineage, until 24 hours after its last expiry, revoked or not (decisions A28). It ends what is
-- owed. One that comes after it was missed fills the row of the review that the miss made.
create function record_checkout(
  p_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_id text, p_jti text, p_claim text, p_grace double precision,
  p_services text[], p_calls text, p_actions double precision, p_delegated text[], p_summary text
) returns report_answer language plpgsql as $$
declare
  stored idempotency_keys;
  p passports;
  l passport_lineages;
  made checkouts;
  flagged bigint;
  moment timestamptz;
  answer text;
begin
  stored := take_idempotency_key(p_operator, p_agent_part, p_key, p_fingerprint);
  if stored.status is not null then return row(true, stored.answer, 0)::report_answer; end if;
  select * into p from passports where jti = p_jti;
  l := lock_lineage_to_report(p_operator, p);
  moment := clock_timestamp();
  if l.latest_expiry + interval '24 hours' <= moment then
    perform refuse('PASSPORT_EXPIRED', format('The passport expired at %s; it could be checked out within 24 hours.', iso_time(l.latest_expiry)));
  end if;
  perform refuse_checked_out(l);

  l := raise_due(l, moment, p_grace);
  flagged := last_flag(l.id);
  select * into made from checkouts where lineage_id = l.id;
  made.id := coalesce(made.id, p_id);
  perform raise_reported(l, p_jti, p.payload::json -> p_claim, made.id, p_services, p_calls::json, p_delegated, moment);
  insert into checkouts as c (id, lineage_id, session_id, operator_id, agent_id, jti, missed, services_used, tool_calls, actions_count,
      delegated_to, summary, submitted_at, claim_id, created_at, review_status, risk)
    values (made.id, l.id, l.session_id, l.operator_id, l.agent_id, p_jti, l.checkout_missed_at is not null, p_services, p_calls, p_actions,
      p_delegated, p_summary, moment, claim_report(l, p_jti, made.id, p_services, p_actions, p_delegated, p_summary, moment), moment,
      case l.accountability when 'enforced' then 'pending' end,
      case l.accountability when 'enforced' then risk_of(l.id) end)
    on conflict (lineage_id) do update set jti = p_jti, services_used = p_services, tool_calls = p_calls, actions_count = p_actions,
      delegated_to = p_delegated, summary = p_summary, submitted_at = moment, claim_id = excluded.claim_id
    returning * into made;
  update passport_lineages set checked_out_at = moment, next_checkpoint_due_at = null where id = l.id;
  perform announce_flags(l, p_jti, flagged);
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passport.checked_out', p_jti, jsonb_build_object('checkout_id', made.id, 'risk', made.risk), p_request);
  perform wake_life('session:' || l.session_id, 'checkedOut');
  answer := json_build_object('checkout', checkout_json(made), 'flags', flags_json(l.id),
    'review', case when made.review_status is not null then
      json_build_object('checkout_id', made.id, 'status', made.review_status, 'risk', made.risk) end);
  perform keep_answer(p_operator, p_agent_part, p_key, 201, answer, '/v1/passports/' || p_jti || '/report');
  return row(false, answer, 1)::report_answer;
end $$;

-- What the flags of a lineage add up to.
create function risk_of(p_lineage text) returns text language sql volatile as $$
  select case when bool_or(severity = 'critical') then 'critical' when count(*) > 0 then 'flagged' else 'clean' end
  from passport_flags where lineage_id = p_lineage;
$$;

-- Holds a review against other decisions; its lineage first, as record_checkout() does. Null: there is none, or it is another's.
create function lock_review(p_operator text, p_checkout text) returns checkouts language plpgsql as $$
declare c checkouts;
begin
  select * into c from checkouts where id = p_checkout and operator_id = p_operator and review_status is not null;
  if not found then return null; end if;
  perform from passport_lineages where id = c.lineage_id for no key update;
  select * into strict c from checkouts where id = p_checkout for no key update;
  return c;
end $$;

-- A person's decision on a review that is pending and held by the caller (decisions A31): a block may revoke the lineage with
-- all that descends from it, and bar the agent until a person lifts it. Where it does either, the caller has the operator's
-- passports exclusively. Returns the passports that it revoked.
create function decide_review(
  p_checkout text, p_decision text, p_block_future boolean, p_revoke boolean, p_notes text, p_actor text
) returns text[] language plpgsql as $$
declare
  c checkouts;
  moment constant timestamptz := clock_timestamp();
  reason constant text := coalesce(p_notes, 'Blocked by review');
  revocation passport_revocation := row('{}'::text[], 0, 0);
begin
  select * into strict c from checkouts where id = p_checkout;
  if p_revoke then revocation := revoke_lineages(array[c.lineage_id], c.jti, reason); end if;
  update checkouts set review_status = p_decision, notes = p_notes, block_future = p_block_future,
      revoked_count = cardinality(revocation.revoked), decided_at = moment
    where id = p_checkout;
  perform issue_claim('operator_review', subject_of_passport(c.jti),
    '{"agent_id":' || jcs_text(c.agent_id) || ',"block_future":' || p_block_future || ',"checkout_id":' || jcs_text(c.id)
      || ',"decided_at":' || floor(extract(epoch from moment)) || ',"decided_by":' || jcs_text(p_actor)
      || ',"decision":' || jcs_text(p_decision) || ',"risk":' || jcs_text(c.risk) || ',"type":"operator_review"}',
    c.agent_id, null, array[c.operator_id]);
  if p_decision = 'blocked' then
    perform record_event(c.operator_id, 'passport.blocked', 'critical',
      json_build_object('jti', c.jti, 'agent_id', c.agent_id, 'checkout_id', c.id, 'reason', reason));
  end if;
  if p_block_future then
    perform block_agent(c.operator_id, c.agent_id);
    perform record_event(c.operator_id, 'agent.blocked', 'critical',
      json_build_object('agent_id', c.agent_id, 'reason', reason, 'checkout_id', c.id));
  end if;
  return revocation.revoked;
end $$;

create type session_step as (
  found boolean,
  open boolean,
  wait_ms bigint,                        -- null: nothing is timed
  waits_for text,                        -- 'checkpoint' or 'checkout'
  agent_id text,
  checkpoint int,
  due text,                              -- when it is expected
  until text,                            -- when it counts as missed
  reviews text[]                         -- the first few that are pending
);

-- One step of a session's life: forgets the messages that woke it, raises what is due, and says what it waits for.
create function advance_session(p_session text, p_grace double precision) returns session_step language plpgsql as $$
declare
  due passport_lineages;
  answer session_step;
  expected timestamptz;
  deadline timestamptz;
begin
  delete from life_messages where life = 'session:' || p_session;
  for due in select l.* from passport_lineages l
    where l.session_id = p_session and next_deadline(l, p_grace) <= clock_timestamp()
    order by l.id for no key update
  loop
    perform raise_due(due, clock_timestamp(), p_grace);
  end loop;
  update passport_sessions set life_seen_at = clock_timestamp() where id = p_session;
  answer.found := found;
  select d.what, l.agent_id, l.checkpoint_count + 1, d.due, d.at
    into answer.waits_for, answer.agent_id, answer.checkpoint, expected, deadline
    from passport_lineages l, lateral (values
      ('checkpoint', l.next_checkpoint_due_at, checkpoint_deadline(l)),
      ('checkout', checkout_expected(l), checkout_deadline(l, p_grace))) as d (what, due, at)
    where l.session_id = p_session and d.at is not null
    order by d.at limit 1;
  answer.due := iso_time(expected);
  answer.until := iso_time(deadline);
  answer.wait_ms := greatest(1000, ceil(extract(epoch from deadline - clock_timestamp()) * 1000)::bigint);
  if deadline is null then answer.wait_ms := null; end if;
  answer.reviews := array(select id from checkouts where session_id = p_session and review_status = 'pending' order by id limit 3);
  answer.open := deadline is not null or answer.reviews <> '{}';
  return answer;
end $$;

-- What a lost message or a lost run left behind (architecture rule 11): deadlines half a minute past are raised here and now,
-- and sessions whose life has not read what was added to them are woken. Bounded; rows that a command holds are left for
-- the next round.
create function reconcile_sessions(p_grace double precision, out woken int, out raised int) language plpgsql as $$
declare due passport_lineages;
begin
  raised := 0;
  for due in select l.* from passport_lineages l
    where is_accountable(l)
      and next_deadline(l, p_grace) < clock_timestamp() - interval '30 seconds'
    order by l.id limit 100 for no key update skip locked
  loop
    perform raise_due(due, clock_timestamp(), p_grace);
    perform wake_life('session:' || due.session_id, 'missed');
    raised := raised + 1;
  end loop;
  with unseen as (
    select distinct s.id
    from passport_lineages l join passport_sessions s on s.id = l.session_id
    where is_accountable(l)
      and l.started_at < clock_timestamp() - interval '10 seconds' and (s.life_seen_at is null or s.life_seen_at < l.started_at)
      and not exists (select from life_messages m where m.life = 'session:' || s.id)
    limit 100
  ), waking as (insert into life_messages (life, kind) select 'session:' || id, 'issued' from unseen returning 1)
  select count(*) into woken from waking;
end $$;

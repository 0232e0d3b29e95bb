-- People: what they must approve, who they are, how they sign in, and the mail that reaches them.

-- One request of a bearer credential that waits for a person (decisions A33): bound to operator, method, path and body, single use.
-- Whether it is expired is its `expires_at`; the view below says it.
create table governance_approvals (
  id text primary key,
  operator_id text not null references operators,
  action text not null,                 -- what it is about, e.g. 'agent.unblock'
  method text not null,
  path text not null,
  body_digest bytea not null,           -- SHA-256 of JCS(body)
  body text not null,                   -- sealed, for the person who decides
  requested_by text not null,           -- the credential that asked, as the rate limit names it
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'lapsed', 'consumed')),
  decided_by text,                      -- a member's id
  decided_at timestamptz,
  consumed_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);
-- The same request finds the approval that waits for it.
create unique index governance_approvals_live on governance_approvals (operator_id, method, path, body_digest)
  where status in ('pending', 'approved');
create index governance_approvals_of_operator on governance_approvals (operator_id, id desc);

-- As the API shows them: an open one past its time is expired, whether or not somebody has asked again since.
create view governance_approvals_shown as
  select id, operator_id, action, method, path, body_digest, body, requested_by,
    case when status = 'lapsed' or (status in ('pending', 'approved') and expires_at <= clock_timestamp()) then 'expired'
      else status end as status,
    decided_by, decided_at, consumed_at, expires_at, created_at
  from governance_approvals;

-- The live approval of a request: the one that exists, or `p_id` made now. Of two callers at once one makes it and both get it.
create function request_approval(p_id text, p_operator text, p_action text, p_method text, p_path text, p_digest bytea, p_body text,
  p_requested_by text, p_seconds int)
returns table (id text, status text, expires_at timestamptz, made boolean) language plpgsql as $$
#variable_conflict use_column
begin
  loop
    update governance_approvals a set status = 'lapsed'
      where a.operator_id = p_operator and a.method = p_method and a.path = p_path and a.body_digest = p_digest
        and a.status in ('pending', 'approved') and a.expires_at <= clock_timestamp();
    insert into governance_approvals as a (id, operator_id, action, method, path, body_digest, body, requested_by, expires_at)
      values (p_id, p_operator, p_action, p_method, p_path, p_digest, p_body, p_requested_by,
        clock_timestamp() + make_interval(secs => p_seconds))
      on conflict (operator_id, method, path, body_digest) where status in ('pending', 'approved') do nothing;
    return query
      select a.id, a.status, a.expires_at, a.id = p_id from governance_approvals a
      where a.operator_id = p_operator and a.method = p_method and a.path = p_path and a.body_digest = p_digest
        and a.status in ('pending', 'approved');
    if found then return; end if;
  end loop;
end $$;

-- Who works for an operator; the holder of its registered e-mail address is the first, its owner (decisions §4).
create table members (
  id text primary key,
  operator_id text not null references operators,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null default clock_timestamp()
);
create unique index members_email on members (operator_id, lower(email));
create index members_of_address on members (lower(email));

-- Operators from before there were members. Nobody signs in as the platform: it has its key alone (decisions C5).
insert into members (id, operator_id, email, role)
  select new_prefixed_id('mem'), id, email, 'owner' from operators where id <> 'op_platform';

-- A person as one of an operator's, for those who are not of this domain.
create view memberships as
  select m.id, m.email, m.role, m.operator_id, o.name as operator_name, o.status = 'suspended' as suspended
  from members m join operators o on o.id = m.operator_id;

-- One row a mail. Without SMTP it stays in the outbox; otherwise its life sends it and then forgets the text.
create table mails (
  id text primary key,
  recipient text not null,
  subject text not null,
  text text,                            -- sealed; null once it is sent or over
  status text not null check (status in ('outbox', 'waiting', 'sent', 'refused', 'expired')),
  expires_at timestamptz not null,      -- after this nobody wants it
  life_seen_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint mails_text check ((text is not null) = (status in ('outbox', 'waiting')))
);
create index mails_waiting on mails (created_at) where status = 'waiting';
create index mails_outbox on mails (id desc) where status = 'outbox';
create index mails_age on mails (created_at);

create type mail_step as (status text, open boolean, wait_ms bigint, expires_at text);

-- One step of the life of a mail: forgets the messages that woke it, gives it up past its time. `gone`: there is no such row.
create function advance_mail(p_mail text) returns mail_step language plpgsql as $$
declare m mails;
begin
  delete from life_messages where life = 'mail:' || p_mail;
  update mails set life_seen_at = clock_timestamp(),
      status = case when status = 'waiting' and expires_at <= clock_timestamp() then 'expired' else status end,
      text = case when status = 'waiting' and expires_at <= clock_timestamp() then null else text end
    where id = p_mail returning * into m;
  if not found then return row('gone', false, null, null)::mail_step; end if;
  return row(m.status, m.status = 'waiting',
    greatest(1000, ceil(extract(epoch from m.expires_at - clock_timestamp()) * 1000)::bigint), iso_time(m.expires_at))::mail_step;
end $$;

-- Wakes the lives of mails that seem to have none, and forgets mails a week old.
create function reconcile_mails(out woken int, out forgotten int) language plpgsql as $$
begin
  with missing as (
    select m.id from mails m
    where m.status = 'waiting'
      and ((m.life_seen_at is null and m.created_at < clock_timestamp() - interval '10 seconds')
        or m.expires_at < clock_timestamp() - interval '1 minute')
      and not exists (select from life_messages l where l.life = 'mail:' || m.id)
    limit 100
  ), waking as (insert into life_messages (life, kind) select 'mail:' || id, 'written' from missing returning 1)
  select count(*) into woken from waking;
  with old as (
    delete from mails where ctid = any(array(
      select ctid from mails where status <> 'waiting' and created_at < now() - interval '7 days'
      order by created_at limit 1000 for update skip locked)) returning 1)
  select count(*) into forgotten from old;
end $$;

-- A code on its way to an address (decisions N2). Addresses that nobody has are counted like the others, so that nothing tells
-- them apart; the address itself is not kept.
create table sign_in_codes (
  address text primary key,             -- HMAC of the e-mail address in lower case
  code text,                            -- HMAC of address and code; null once it was used
  tries int not null default 0,         -- wrong ones
  sent_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  window_sent int not null default 1,
  window_ends_at timestamptz not null
);
create index sign_in_codes_age on sign_in_codes (window_ends_at);

-- A person who has signed in; the token is in the cookie and nowhere else.
create table dashboard_sessions (
  id text primary key,
  token_hash bytea not null,            -- SHA-256
  member_id text not null references members on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);
create unique index dashboard_sessions_token on dashboard_sessions (token_hash);
create index dashboard_sessions_of_member on dashboard_sessions (member_id);
create index dashboard_sessions_age on dashboard_sessions (expires_at);

-- Sessions that are over, and addresses whose window is; at most 100 of each a call, and a call leaves one of either at most.
create function forget_old_sign_ins() returns void language sql as $$
  delete from dashboard_sessions where ctid = any(array(
    select ctid from dashboard_sessions where expires_at <= clock_timestamp() order by expires_at limit 100 for update skip locked));
  delete from sign_in_codes where ctid = any(array(
    select ctid from sign_in_codes where window_ends_at <= clock_timestamp() and expires_at <= clock_timestamp() and sent_at <= clock_timestamp() - interval '30 seconds'
    order by window_ends_at limit 100 for update skip locked));
$$;

-- Puts a new code in the place of the old one: 30 s after that at the earliest, five a window, which lasts as long as a code.
-- Returns the seconds to wait where it is too early, 0 where the code counts from now on.
create function take_sign_in_turn(p_address text, p_code text, p_seconds int) returns int language plpgsql as $$
declare wait double precision;
begin
  perform forget_old_sign_ins();
  insert into sign_in_codes as c (address, code, expires_at, window_ends_at)
    values (p_address, p_code, clock_timestamp() + make_interval(secs => p_seconds), clock_timestamp() + make_interval(secs => p_seconds))
    on conflict (address) do update set code = excluded.code, tries = 0, sent_at = clock_timestamp(),
      expires_at = clock_timestamp() + make_interval(secs => p_seconds),
      window_sent = case when c.window_ends_at <= clock_timestamp() then 1 else c.window_sent + 1 end,
      window_ends_at = case when c.window_ends_at <= clock_timestamp() then clock_timestamp() + make_interval(secs => p_seconds)
        else c.window_ends_at end
      where c.sent_at <= clock_timestamp() - interval '30 seconds'
        and (c.window_sent < 5 or c.window_ends_at <= clock_timestamp());
  if found then return 0; end if;
  select greatest(1,
      extract(epoch from c.sent_at + interval '30 seconds' - clock_timestamp()),
      case when c.window_sent >= 5 then extract(epoch from c.window_ends_at - clock_timestamp()) else 0 end)
    into wait from sign_in_codes c where c.address = p_address;
  return ceil(coalesce(wait, 1));
end $$;

-- One row a mail. Without SMTP it stays in the outbox; otherwise its life sends it and then deletes the text. SMS are here only in the
-- outbox, without a provider that sends them.
create table mails (
  id text primary key,
  channel text not null default 'email' check (channel in ('email', 'sms')),
  recipient text not null,
  subject text,
  text text,                            -- encrypted; null once it is sent or has expired
  status text not null check (status in ('outbox', 'waiting', 'sent', 'refused', 'expired')),
  expires_at timestamptz not null,      -- after this it is of no use
  life_seen_at timestamptz,
  woken_at timestamptz,                 -- by the reconciler, last
  created_at timestamptz not null default clock_timestamp(),
  -- When the reconciler looks at it, while it waits: ten seconds after it was written where no life has seen it, else a minute after
  -- its time. (In UTC: adding an interval is immutable only without a time zone.)
  look_at timestamptz not null generated always as (case
    when woken_at > life_seen_at or life_seen_at is null and woken_at is not null
      then (woken_at at time zone 'UTC' + interval '1 minute') at time zone 'UTC'
    when life_seen_at is null then (created_at at time zone 'UTC' + interval '10 seconds') at time zone 'UTC'
    else (expires_at at time zone 'UTC' + interval '1 minute') at time zone 'UTC' end) stored,
  constraint mails_subject check ((subject is not null) = (channel = 'email')),
  constraint mails_sms check (channel = 'email' or status = 'outbox'),
  constraint mails_text check ((text is not null) = (status in ('outbox', 'waiting')))
);
create index mails_due on mails (look_at) where status = 'waiting';
-- By the last moment that a life or the reconciler looked after it: a life of another store may be gone.
create index mails_seen on mails (greatest(life_seen_at, woken_at)) where status = 'waiting';
create index mails_outbox on mails (id desc) where status = 'outbox';
create index mails_age on mails (created_at);

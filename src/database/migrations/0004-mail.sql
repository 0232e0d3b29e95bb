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
  created_at timestamptz not null default clock_timestamp(),
  constraint mails_subject check ((subject is not null) = (channel = 'email')),
  constraint mails_sms check (channel = 'email' or status = 'outbox'),
  constraint mails_text check ((text is not null) = (status in ('outbox', 'waiting')))
);
create index mails_waiting on mails (created_at) where status = 'waiting';
create index mails_outbox on mails (id desc) where status = 'outbox';
create index mails_age on mails (created_at);

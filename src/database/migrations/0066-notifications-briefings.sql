-- Events that people of an operator are still to be mailed about, a row for each event and class of mails (decision N50). `work`: it waits for a
-- decision; `security`: a change that somebody should know of; `invitation`: the mail goes to who is invited; `deadline`: an approval, looked at
-- when its time is nearly over.
create table briefing_items (
  event_id text not null references service_events (id) on delete cascade,
  operator_id text not null references operators,
  class text not null check (class in ('work', 'security', 'invitation', 'deadline')),
  due_at timestamptz not null,
  primary key (event_id, class)
);
create index briefing_items_of_operator on briefing_items (operator_id, class, due_at);

-- When people of an operator were mailed last, by class.
create table briefing_rounds (
  operator_id text not null references operators,
  class text not null,
  mailed_at timestamptz not null,
  primary key (operator_id, class)
);

-- Members who have turned off mails about work.
create table briefings_off (
  member_id text primary key references members on delete cascade,
  since timestamptz not null default clock_timestamp()
);

-- The invitations that were mailed in the last 24 hours: the limits count them.
create table invitation_mails (
  operator_id text not null references operators,
  address text not null,                 -- in lower case
  mailed_at timestamptz not null default clock_timestamp()
);
create index invitation_mails_of_address on invitation_mails (address, mailed_at);
create index invitation_mails_of_operator on invitation_mails (operator_id, mailed_at);

-- The mail that has the code of an e-mail destination: what became of it is what became of the code.
alter table verification_codes add column mail_id text;

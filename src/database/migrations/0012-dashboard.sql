-- How people sign in to the dashboard.

-- The newest code that was sent to an address (decision N2). Addresses that no member has are counted like the others, so that
-- nobody can tell them apart; the address itself is not kept.
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

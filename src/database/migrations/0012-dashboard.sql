-- How people sign in to the dashboard.

-- The codes of the last 24 hours (decision N2). Addresses that no member has are counted like the others, so that nobody can tell them
-- apart; the address itself is not kept. Whoever requests a code has turns of their own, so that nobody uses up another's.
create table sign_in_codes (
  id bigint generated always as identity primary key,
  address text not null,                -- HMAC of the e-mail address in lower case
  -- Whose turn it was: `browser:` and its hash where it has signed in with the address before, else `network:` and its HMAC.
  asker text not null,
  browser text not null,                -- SHA-256 of the cookie that names the request
  code text,                            -- HMAC of address and code; null once it was used
  tries int not null default 0,         -- wrong ones with that cookie
  open_tries int not null default 0,    -- wrong ones without it
  sent_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
create index sign_in_codes_of_address on sign_in_codes (address, id);
create index sign_in_codes_age on sign_in_codes (sent_at);

-- Browsers that have signed in with an address: no stranger takes their turns.
create table known_browsers (
  address text not null,                -- as above
  browser text not null,                -- SHA-256 of its cookie
  expires_at timestamptz not null,
  primary key (address, browser)
);
create index known_browsers_age on known_browsers (expires_at);

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

create type mail_step as (status text, open boolean, wait_ms bigint, expires_at text);

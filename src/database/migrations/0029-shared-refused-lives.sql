-- Nothing that is due is given up: a life that Temporal refuses to wake is tried again at growing intervals. Since then `parked` is no
-- longer read; a release before this one may still set it, and its rows are tried all the same.
alter table life_messages add column refused_at timestamptz; -- when Temporal refused this life for the first time; null: it never did
comment on column life_messages.parked is 'Of releases before 0029: nothing reads it any more.';
drop index life_messages_due;
create index life_messages_due on life_messages (priority, owner, next_attempt_at);
create index life_messages_refused on life_messages (refused_at) where refused_at is not null;
-- What was parked is due at once.
update life_messages set refused_at = clock_timestamp(), next_attempt_at = clock_timestamp() where parked;

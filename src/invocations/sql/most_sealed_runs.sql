-- Executions that one consumer has under way together, no matter what they have waiting: other consumers' steps find places.
create function most_sealed_runs() returns int language sql immutable as $$ select 8; $$;

-- Executions that one consumer has under way at once, whatever they have waiting: other consumers' steps find places.
create function most_sealed_runs() returns int language sql immutable as $$ select 8; $$;

-- The trace (W3C traceparent) of the command that a row was written by, so that what a life does later is part of the same trace. A command that is
-- traced sets `carnet.trace` for its transaction; all others pay a look at a setting that is not there, and write null.
alter table lives add column trace text;
alter table lives alter column trace set default nullif(current_setting('carnet.trace', true), '');
-- One life sends what many commands have caused, so each delivery has its own.
alter table deliveries add column trace text;
alter table deliveries alter column trace set default nullif(current_setting('carnet.trace', true), '');

-- Where more lives are due than are looked at together, their owners take turns: found by owner, whatever others have due.
create index if not exists lives_waiting_by_owner on lives (epoch, owner, due_at) where not ready;

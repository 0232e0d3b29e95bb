-- The name under which an operator is known to others: the skills that it sells say it.
create view operator_names as select id as operator_id, name from operators;

-- The platform finds an operator by how its name begins, or by its e-mail address, without regard to case.
create index if not exists operators_name on operators (lower(name) text_pattern_ops);
create index if not exists operators_email on operators (lower(email));

-- The refunds of a top-up, by its row of the wallet; `refunds_one` has those alone that did not fail.
create index if not exists refunds_of_transaction on refunds (transaction_id, id desc);

-- A payment never kept the merchant's own number of the order: the column was made in advance, and no release has written
-- or read it. What the merchant sends is in the fingerprint, and a session keeps its order whole.

-- No statement of any release names it, and none takes all columns of payments.
-- squawk-ignore ban-drop-column
alter table payments drop column reference_order_id;

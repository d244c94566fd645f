-- role: admin
-- no statement

-- role: public
-- no statement

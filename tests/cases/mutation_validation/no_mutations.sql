-- role: public
-- refused: no mutations exist

-- role: customer
-- refused: no mutations exist

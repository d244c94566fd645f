-- role: admin
-- refused: no mutations exist

-- role: public
-- refused: no mutations exist

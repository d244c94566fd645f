-- role: writer
-- refused: unexpected null for 'title', expected type 'String'

-- role: owner
-- refused: unexpected null for 'title', expected type 'String'

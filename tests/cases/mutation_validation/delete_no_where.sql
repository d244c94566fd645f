-- role: writer
-- refused: missing required argument 'where'

-- role: clerk
-- refused: missing required argument 'where'

-- role: writer
-- refused: unexpected null for 'where', expected type 'projects_bool_exp!'

-- role: clerk
-- refused: unexpected null for 'where', expected type 'projects_bool_exp!'

-- role: writer
-- refused: expected type 'projects_bool_exp!' for 'where', found null

-- role: clerk
-- refused: expected type 'projects_bool_exp!' for 'where', found null

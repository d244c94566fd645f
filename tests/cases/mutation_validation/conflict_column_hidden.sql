-- role: writer
-- refused: unexpected value 'madeBy' for 'update_columns', expected one of the values of type 'shelves_update_column'

-- role: owner
-- refused: unexpected value 'nothing' for 'update_columns', expected one of the values of type 'shelves_update_column'

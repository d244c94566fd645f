-- role: writer
-- refused: expected one of the values of type 'shelves_update_column' for 'update_columns', found 'madeBy'

-- role: owner
-- refused: expected one of the values of type 'shelves_update_column' for 'update_columns', found 'nothing'

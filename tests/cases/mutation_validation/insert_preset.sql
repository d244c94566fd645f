-- role: writer
-- refused: field 'ownerId' not found in type: 'projects_insert_input'

-- role: owner
-- refused: field 'nothing' not found in type: 'projects_insert_input'

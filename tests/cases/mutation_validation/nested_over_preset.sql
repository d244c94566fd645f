-- role: writer
-- refused: field 'owner' not found in type: 'projects_insert_input'

-- role: owner
-- refused: field 'nothing' not found in type: 'accounts_insert_input'

-- role: owner
-- refused: field 'balance' not found in type: 'projects_insert_input'

-- role: admin
-- refused: field 'balance' not found in type: 'projects_insert_input'

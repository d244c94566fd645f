-- role: writer
-- refused: field 'add_task' not found in type: 'query_root'

-- role: owner
-- refused: field 'add_task' not found in type: 'query_root'

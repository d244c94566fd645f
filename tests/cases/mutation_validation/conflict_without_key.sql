-- role: owner
-- refused: field 'insertRemarks' not found in type: 'mutation_root'

-- role: admin
-- refused: argument 'on_conflict' not found in field: 'insertRemarks'

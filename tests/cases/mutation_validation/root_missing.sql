-- role: writer
-- refused: field 'insertNothing' not found in type: 'mutation_root'

-- role: clerk
-- refused: field 'insertNothing' not found in type: 'mutation_root'

-- role: writer
-- refused: field 'insertJournal' not found in type: 'mutation_root'

-- role: clerk
-- refused: field 'insertJournal' not found in type: 'mutation_root'

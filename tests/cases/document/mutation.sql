-- role: admin
-- refused: field 'delete_users' not found in type: 'mutation_root'

-- role: public
-- refused: no mutations exist

-- role: public
-- refused: field 'usersAggregate' not found in type: 'query_root'

-- role: customer
-- refused: field 'usersAggregate' not found in type: 'query_root'

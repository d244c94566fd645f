-- role: writer
-- refused: unexpected value 'urgent' for 'priority', expected one of the values of type 'priorities_enum'

-- role: owner
-- refused: unexpected value 'urgent' for 'priority', expected one of the values of type 'priorities_enum'

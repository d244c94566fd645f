-- role: writer
-- refused: expected one of the values of type 'priorities_enum' for 'priority' ('high', 'low', 'normal'), found 'urgent'

-- role: owner
-- refused: expected one of the values of type 'priorities_enum' for 'priority' ('high', 'low', 'normal'), found 'urgent'

-- role: writer
-- refused: expected type 'String' for 'title', found null

-- role: owner
-- refused: expected type 'String' for 'title', found null

-- role: customer
-- refused: field 'position' not found in type: 'order_lines_order_by'

-- role: admin
-- refused: field 'position' not found in type: 'order_lines_order_by'

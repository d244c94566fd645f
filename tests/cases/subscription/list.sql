-- role: customer
-- refused: field 'lineNo' not found in type: 'order_lines_order_by'

-- role: admin
-- refused: field 'lineNo' not found in type: 'order_lines_order_by'

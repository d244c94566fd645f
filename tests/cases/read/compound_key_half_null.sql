-- role: admin
-- refused: field 'order_lines' not found in type: 'shipments'

-- role: customer
-- refused: field 'order_lines' not found in type: 'shipments'

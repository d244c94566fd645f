-- role: admin
-- refused: field 'order_linesAggregate' not found in type: 'products_order_by'

-- role: customer
-- refused: field 'order_linesAggregate' not found in type: 'products_order_by'

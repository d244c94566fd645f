-- role: staff
-- refused: field 'name' not found in type: 'orders_max_order_by'

-- role: auditor
-- refused: field 'name' not found in type: 'orders_max_order_by'

-- role: admin
-- refused: field 'product_labels' not found in type: 'products'

-- role: customer
-- refused: field 'product_labels' not found in type: 'products'

-- role: staff
-- refused: field 'product_labels' not found in type: 'products'

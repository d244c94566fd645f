-- role: owner

-- role: writer

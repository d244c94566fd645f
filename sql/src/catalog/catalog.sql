SELECT '{}'

"""What people see of results: numbers and words, text, dataframes, pictures and reports."""

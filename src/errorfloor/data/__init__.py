"""What people bring, as tables of counts: files, dataframes, arrays and saved tables."""

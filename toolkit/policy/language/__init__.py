"""What tables and machines say, read and checked: conditions, arithmetic, patterns, rows, transitions."""

"""What people ask: one module per function, each reads, computes and returns a result."""

"""Methods that read votes."""

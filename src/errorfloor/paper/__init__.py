"""The paper's figures and tables, computed again: one module each."""

"""Programs: each reads, asks one question of the library, and shows the answer."""

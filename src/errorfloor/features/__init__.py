"""Features with labels: neighbours, trees, models that predict, and the classic estimates."""
